# Waits in loops, asks Slurm for what it does next, and has commands that a script of ours has not.
gate_close
ids=(); for i in 1 2 3; do ids+=("$(sub alice -J "s$i" -q small -n4 -t 2 --wrap 'sleep 6')"); done
sub bob -J heredoc -n1 <<E
#!/bin/bash
#SBATCH -t 3 # minutes
#SBATCH --comment="two words"
sleep 4
E
cat >$T/script.sh <<'E'
#!/bin/sh
#SBATCH -n3
sleep $1
#SBATCH -n1
E
sub bob $T/script.sh 7
gate_open
until [ "$(squeue -h -j ${ids[0]} -o %T)" = RUNNING ]; do sleep 0.3; done
scancel -n other
ctl sacctmgr -i modify qos small set GrpTRES=cpu=4
ctl scontrol update jobid=$(squeue -h -n s3 -o %i) priority=100
as alice srun -n1 hostname; kill $(cat $RUN/pid/slurmd.n3.pid)
sub carol --test-only -n1 -t 1 --wrap true
while squeue -h | grep -q nothing || true; do sleep 1; done
as alice scancel ${ids[2]}; sleep 4; snap a
