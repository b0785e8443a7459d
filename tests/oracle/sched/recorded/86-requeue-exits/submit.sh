sub alice -J e5 -n1 -t 2 --wrap 'sleep 2; exit 5'
sub alice -J e6 -n1 -t 2 --wrap 'sleep 2; exit 6'
sub alice -J e5no --no-requeue -n1 -t 2 --wrap 'sleep 2; exit 5'
b=$(sub bob -J hold -n1 -t 2 --wrap 'sleep 8'); c=$(sub bob -J mine -n1 -t 2 --wrap 'sleep 8'); n=$(sub bob -J norq --no-requeue -n1 -t 2 --wrap 'sleep 8')
k=$(sub carol -J nokill -k -w n[3-4] -N2 -n2 -t 2 --wrap 'sleep 9'); f=$(sub carol -J fails -w n4 -n1 -t 2 --wrap 'sleep 9'); p=$(sub dave -J pend -H -n1 -t 1 --wrap 'sleep 1'); sleep 2
ctl scontrol requeuehold $b; as bob scontrol requeue $c; as alice scontrol requeue $n; as bob scontrol requeue $n; ctl scontrol requeue $p
sleep 2.5; snap a; ctl scontrol update nodename=n4 state=down reason=test; sleep 2; snap b; ctl scontrol release $b; as dave scontrol release $p; sleep 6; snap c; sleep 120; snap d; waitdone 25; snap e; scancel -u alice
