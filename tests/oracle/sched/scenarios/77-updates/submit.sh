sub alice -J block -p a -N2 --exclusive -t 5 --wrap 'sleep 10'; sub alice -J blockb -p b -n3 -t 5 --wrap 'sleep 10'; sleep 1.5
a=$(sub bob -J toolong -p a -n1 -t 30 --wrap 'sleep 2')
b=$(sub bob -J move -p a -n1 -t 2 --wrap 'sleep 3')
c=$(sub carol -J shrink -p a -N2 -n2 -t 2 --wrap 'sleep 3')
d=$(sub carol -J big -p b -n2 -t 2 --wrap 'sleep 3')
sleep 1.5; snap a
as bob scontrol update jobid=$a timelimit=5; as bob scontrol update jobid=$b partition=b; as carol scontrol update jobid=$b timelimit=1
as carol scontrol update jobid=$c numnodes=1; as carol scontrol update jobid=$d name=renamed; as carol scontrol update jobid=$d timelimit=90
ctl scontrol update jobid=$d timelimit=90; sleep 3; snap b; sleep 6; snap c; waitdone 40
