# tests/oracle/sched/record.sh - sourced by tests/oracle/slurm_sched: the words of a submit.sh on a
# live Slurm.  S is the folder of the situation, O where the recording goes.
#
# Every command is logged with its moment, its status and its answer; what squeue shows goes to
# squeue.LABEL.txt.
T0=$EPOCHREALTIME
SQUEUE='%.10i %.9P %.12j %.6u %.8a %.8q %.2t %.9l %.4D %.4C %.10Q %R'

ts() { awk -v a="$EPOCHREALTIME" -v b="$T0" 'BEGIN { printf "%.1f", a - b }'; }
answered() { # USER STATUS TEXT WORDS...
  local user=$1 status=$2 text=$3
  shift 3
  text=$(echo $text)
  echo "[$(ts)] $user: $(printf '%q ' "$@")-> rc=$status${text:+ $text}" >>"$O/commands.log"
}
sub() {
  local user=$1 text status
  shift
  text=$(sbatch --parsable --uid="$user" -o /dev/null "$@" 2>&1); status=$?
  answered "$user" $status "$text" sbatch "$@"
  echo "$text" | tail -1
}
ctl() { local text status; text=$("$@" 2>&1); status=$?; answered root $status "$text" "$@"; }
as() {
  local user=$1 text status
  shift
  text=$(setpriv --reuid="$user" --regid=nogroup --clear-groups "$@" 2>&1); status=$?
  answered "$user" $status "$text" "$@"
}
snap() {
  local at
  at=$(ts); { echo "# t=$at"; squeue -a -r -S i -o "$SQUEUE"; } >"$O/squeue.$1.txt"
  echo "[$at] root: squeue > squeue.$1.txt" >>"$O/commands.log"
}
snapstart() { :; }
partitions() { sinfo -h -o %R | sort -u; }
gate_close() { local p; for p in $(partitions); do ctl scontrol update partition="$p" state=down; done; }
gate_open() {
  local p
  for p in $(partitions); do scontrol update partition="$p" state=up; done
  echo "[$(ts)] root: all partitions up" >>"$O/commands.log"
}
waitrun() { local i; for i in $(seq 150); do [ "$(squeue -h -j "$1" -o %t 2>&1)" = R ] && return; sleep 0.2; done; }
waitdone() {
  local i
  for i in $(seq $((${1:-60} * 5))); do
    [ -n "$(squeue -h -a -t PD,R,CG,S,CF,ST -o %i)" ] || return
    sleep 0.2
  done
  echo "[$(ts)] waitdone timed out" >>"$O/commands.log"
}

: >"$O/commands.log"
. "$S/submit.sh"
sleep 1.5
squeue -a -r -S i -o "$SQUEUE" >"$O/squeue.final.txt"
