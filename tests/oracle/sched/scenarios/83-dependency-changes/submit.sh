a=$(sub alice -J first -n4 -t 2 --wrap 'sleep 6'); r=$(sub alice -J arr -a 1-4 -n1 -t 2 --wrap 'sleep 3; exit $((SLURM_ARRAY_TASK_ID==3))'); waitrun $a
b=$(sub bob -J chain -d afterok:$a -n2 -t 2 --wrap 'sleep 2')
c=$(sub bob -J chain2 -d afterok:$b -n2 -t 2 --wrap 'sleep 2')
sub bob -J whole -d afterany:$r -n1 -t 1 --wrap 'sleep 2'
sub bob -J allok -d afterok:$r -n1 -t 1 --wrap 'sleep 2'
sub bob -J task2 -d afterok:${r}_2 -n1 -t 1 --wrap 'sleep 2'
sub bob -J task3 -d afternotok:${r}_3 -n1 -t 1 --wrap 'sleep 2'
d=$(sub carol -J freed -d afterok:$c -n1 -t 1 --wrap 'sleep 2')
e=$(sub carol -J bound -H -n1 -t 1 --wrap 'sleep 2')
f=$(sub carol -J kill -n1 -t 1 -H --wrap 'sleep 2'); g=$(sub carol -J afterkill -d afterok:$f -n1 -t 1 --wrap 'sleep 2'); h=$(sub carol -J afterany -d afterany:$f -n1 -t 1 --wrap 'sleep 2')
sub dave -J minute -d after:$a+1 -n1 -t 1 --wrap 'sleep 2'
s=$(sub dave -J one -n1 -t 1 --wrap 'sleep 5'); sub dave -J one -d singleton -n1 -t 1 --wrap 'sleep 2'; o=$(sub dave -J one -d singleton -n1 -t 1 --wrap 'sleep 2')
sleep 1.5; snap a
as carol scontrol update jobid=$d dependency=; as carol scontrol update jobid=$e dependency=afterok:$b; as carol scontrol release $e
as carol scancel $f; as dave scontrol update jobid=$o name=other; as bob scontrol update jobid=$d dependency=afterok:$a
as carol scontrol update jobid=$d dependency=afterok:$d
sleep 4; snap b; sleep 6; snap c; waitdone 60; snap d; scancel -t PD -u bob; scancel -t PD -u carol
