r=$(sub alice -J run -n4 -t 2 --wrap 'sleep 7'); sleep 1.5
a=$(sub alice -J uself -n4 -t 1 --wrap 'sleep 2'); as alice scontrol hold $a
b=$(sub alice -J byroot -n4 -t 1 --wrap 'sleep 2'); ctl scontrol hold $b
c=$(sub bob -J uhold -n4 -t 1 --wrap 'sleep 2'); ctl scontrol uhold $c
d=$(sub bob -J born -H -n4 -t 1 --wrap 'sleep 2')
e=$(sub carol -J free -n4 -t 1 --wrap 'sleep 2')
f=$(sub dave -J prio0 --priority=0 -n4 -t 1 --wrap 'sleep 2')
sleep 1; snap a
as alice scontrol release $b; as bob scontrol release $c; as carol scontrol release $d; as alice scontrol release $a
ctl scontrol release $e; ctl scontrol hold 9999; as dave scontrol release $f
sleep 1; snap b; sleep 6; snap c; ctl scontrol release $b; ctl scontrol release $d; sleep 6; snap d; waitdone 30
