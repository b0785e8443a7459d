a=$(sub alice -J again -n4 -t 5 --requeue --wrap 'sleep 8'); b=$(sub bob -J hold -n2 -t 5 --requeue --wrap 'sleep 8'); c=$(sub carol -J norq -n2 -t 5 --no-requeue --wrap 'sleep 12'); sleep 3
snap a
as alice scontrol requeue $a; ctl scontrol requeuehold $b; ctl scontrol requeue $c; as dave scontrol requeue $c
sub dave -J fill -n4 -t 2 --wrap 'sleep 4'; p=$(sub dave -J pend -n8 -N2 -t 2 --wrap 'sleep 2')
sleep 3; snap b; ctl scontrol requeue $p; ctl scontrol release $b; sleep 8; snap c; waitdone 170
