a=$(sub alice -J wide -N2 -n2 --exclusive -t 3 --wrap 'sleep 16'); b=$(sub bob -J norq --no-requeue -n4 -t 3 --wrap 'sleep 17'); r=$(sub carol -J arr -a 1-6 -n2 -t 2 --wrap 'sleep 4'); waitrun $b; sleep 1.3
sub dave -J next -N2 -n2 -t 2 --wrap 'sleep 3'; sub dave -J three -N4 --exclusive -t 1 --wrap 'sleep 2'; snap a
ctl scontrol update nodename=n4 state=drain reason=x; sleep 2.6; ctl scontrol update nodename=n3 state=down reason=y; sleep 2; snap b
as alice scontrol requeue $a; as carol scontrol hold ${r}_6; sleep 3; ctl scontrol update nodename=n4 state=resume; sleep 2.2; snap c
ctl scontrol update nodename=n3 state=resume; as alice scontrol requeuehold $a; sleep 4; snap d; as carol scontrol release ${r}_6; as alice scontrol release $a; waitdone 170
