# tests/oracle/sched/convert_runs.sh - sourced by convert: what sbatch is told, and how long its job
# runs.

# ---------------------------------------------------------------- options and scripts

# Options that have no value, and those that have one only behind an equals sign.
BARE=' contiguous exclusive get-user-env help hold ignore-pbs kill-on-bad-exit nice no-kill no-requeue
 overcommit oversubscribe parsable propagate quiet reboot requeue share spread-job test-only usage
 use-min-nodes verbose version wait '

# Splits the words of sbatch: JOB_OPTIONS, JOB_SCRIPT (a file, of a --wrap too; "" none) and
# JOB_ARGUMENTS.  Options of the script stand before those of the command, which count.  Without a
# #! it is no script to sbatch: JOB_IS_SCRIPT is "".
job_read() {
  local wrap='' script='' name has_wrap=
  JOB_OPTIONS=(); JOB_ARGUMENTS=(); JOB_SCRIPT=; JOB_IS_SCRIPT=1
  while [ $# -gt 0 ]; do
    case $1 in
      --wrap) wrap=${2:-}; has_wrap=1; JOB_OPTIONS+=("$1" "${2:-}"); shift ;;
      --wrap=*) wrap=${1#*=}; has_wrap=1; JOB_OPTIONS+=("$1") ;;
      :) JOB_OPTIONS+=("$1") ;; # the next component
      --*=* | -[HQhksvVWO]) JOB_OPTIONS+=("$1") ;;
      --*)
        JOB_OPTIONS+=("$1")
        case $BARE in *[[:space:]]"${1#--}"[[:space:]]*) ;; *) [ $# -lt 2 ] || { JOB_OPTIONS+=("$2"); shift; } ;; esac ;;
      -?) JOB_OPTIONS+=("$1"); [ $# -lt 2 ] || { JOB_OPTIONS+=("$2"); shift; } ;;
      -?*) JOB_OPTIONS+=("$1") ;;
      *) script=$1; JOB_ARGUMENTS=("${@:2}"); break ;;
    esac
    shift
  done
  if [ -n "$has_wrap" ]; then
    printf '#!/bin/sh\n%s\n' "$wrap" >"$WORK/wrap.sh"; JOB_SCRIPT=$WORK/wrap.sh
    return
  fi
  name=${script##*/}
  for script in "$script" "$WORK/$name" "$FOLDER/$name" "$WORK/stdin"; do
    [ -f "$script" ] && [ -s "$script" ] || continue
    JOB_SCRIPT=$script
    script_options "$script" "${name:-sbatch}"
    return
  done
}

# Words that --wrap would otherwise tell: the name of the job and the options in the script.
script_options() { # FILE NAME
  local options=(--job-name="$2") line word
  # The first command ends them.
  while IFS= read -r line; do
    case $line in
      '#SBATCH'[[:space:]]*) ;;
      '#'* | '') continue ;;
      *[![:space:]]*) break ;;
      *) continue ;;
    esac
    line=${line#'#SBATCH'}; line=${line%%[[:space:]]#*}
    while IFS= read -r word; do options+=("$word"); done < <(xargs -n1 printf '%s\n' <<<"$line")
  done <"$1"
  [ "$(head -c2 "$1")" = '#!' ] || JOB_IS_SCRIPT=
  JOB_OPTIONS=("${options[@]}" "${JOB_OPTIONS[@]}")
}

# ---------------------------------------------------------------- how long a job runs

# "SECONDS STATUS", of a script run for a task of an array; "" for a job that is none.  What it does
# when a signal comes is left in $WORK/traps, "SIGNAL STATUS" a line.
script_run() { # FILE TASK ARGUMENTS...
  local file=$1 task=$2
  shift 2
  : >"$WORK/slept"; : >"$WORK/traps"
  case $(head -1 "$file" 2>/dev/null) in '#!'*sh*) ;; *) echo '0 0'; return ;; esac
  (
    exec >/dev/null 2>&1 </dev/null 3>&-
    sleep() { echo "${1%s}" >>"$WORK/slept"; [ "$(wc -l <"$WORK/slept")" -lt 100000 ] || exit; }
    srun() { while [ $# -gt 0 ]; do case $1 in -*) shift ;; *) break ;; esac; done; "$@"; }
    trap() { case $1 in 'exit '*) echo "$2 ${1#exit }" >>"$WORK/traps" ;; esac; }
    export -f sleep srun trap
    export WORK
    [ -z "$task" ] || export SLURM_ARRAY_TASK_ID=$task
    cd "$WORK" && exec timeout 20 bash "$file" "$@"
  )
  local status=$?
  echo "$(awk '{ s += $1 } END { printf "%g", s }' "$WORK/slept") $status"
}

# How the runs of a job ended: "TASK ELAPSED", for those that ended by themselves; of one that lost
# nodes on its way only the rest of its run is known.
recorded_runs() {
  awk -F'|' -v id="$1" '{ split($3, part, "_") }
    part[1] == id && $7 == "RESIZING" { resized = 1 }
    (part[1] == id) && ($7 == "COMPLETED" || $7 ~ /^FAILED/) { run[part[2]] = $8 }
    END { if (!resized) for (task in run) print (task == "" ? "-" : task), run[task] }' "$FOLDER/start-order.txt" | sort -n
}

status_remark() { # STATUS SUFFIX
  if [ "$1" -gt 128 ]; then printf ' #signal%s=%d' "$2" $(($1 - 128)); elif [ "$1" -gt 0 ]; then
    printf ' #exit%s=%d' "$2" "$1"; fi
}

# How long a job ran, of whole seconds that were recorded and what its script slept: the rest of a
# second tells nothing, and starting and ending take a part of one too.
seconds_run() { # ELAPSED SLEPT
  awk -v e="$1" -v s="$2" -v tenths="$TENTHS" 'BEGIN {
    if (e != "" && (e < s || e > s + 1)) print e
    else if (s == int(s)) print s "." tenths
    else print s + 0.5 }'
}

# The tasks of an --array among the words.
tasks_of() {
  local list='' piece low high step
  while [ $# -gt 0 ]; do
    case $1 in -a | --array) list=${2:-}; shift ;; -a*) list=${1#-a} ;; --array=*) list=${1#*=} ;; esac
    shift
  done
  list=${list%%%*}
  case $list in *[!0-9,:-]*) return ;; esac
  for piece in ${list//,/ }; do
    step=1; case $piece in *:*) step=${piece#*:}; piece=${piece%:*} ;; esac
    low=${piece%-*}; high=${piece#*-}; seq "$low" "$step" "$high"
  done
}

first_task() { local task; read -r task < <(tasks_of "$@") && echo "$task"; }

# What stands behind the sbatch that job_read has read.
remarks() { # ID; 0: nobody will run
  local id=$1 slept status elapsed signal task
  [ -n "$JOB_SCRIPT" ] || return
  read -r slept status < <(script_run "$JOB_SCRIPT" "$(first_task "${JOB_OPTIONS[@]}")" "${JOB_ARGUMENTS[@]}")
  elapsed=$(recorded_runs "$id" | sed -n 's/^- //p')
  [ ! -s "$WORK/traps" ] || elapsed= # how long it ran depends on when the signal came
  elapsed=$(seconds_run "$elapsed" "$slept")
  printf ' #run=%s' "$elapsed"
  status_remark "$status" ''
  while read -r signal status; do printf ' #on-signal=%d:%d' "$(builtin kill -l "$signal")" "$status"
  done <"$WORK/traps"
  [ "$id" != 0 ] || return
  for task in $(tasks_of "${JOB_OPTIONS[@]}"); do
    local own_slept=$slept own_status=$status own
    if grep -q SLURM_ARRAY "$JOB_SCRIPT"; then
      read -r own_slept own_status < <(script_run "$JOB_SCRIPT" "$task" "${JOB_ARGUMENTS[@]}")
    fi
    own=$(seconds_run "$(recorded_runs "$id" | sed -n "s/^$task //p")" "$own_slept")
    [ "$own" = "$elapsed" ] || printf ' #run[%d]=%s' "$task" "$own"
    [ "$own_status" = "$status" ] || status_remark "$own_status" "[$task]"
  done
}
