r=$(sub alice -J run2 -N2 -n2 -t 5 --wrap 'sleep 14'); s=$(sub alice -J run -n2 -t 5 --wrap 'sleep 12'); x=$(sub alice -J excl -N2 --exclusive -t 3 --wrap 'sleep 9'); waitrun $x; sleep 1.2
w=$(sub bob -J wide -N4 --exclusive -t 5 --wrap 'sleep 2'); v=$(sub bob -J fit -n2 -t 4 --wrap 'sleep 8'); y=$(sub bob -J task -a 1-4 -n2 -t 2 --wrap 'sleep 3')
z=$(sub carol -J n3 -N1 --exclusive -t 2 --wrap 'sleep 3'); sleep 2; snap a
as alice scontrol update jobid=$r timelimit=2; as alice scontrol update jobid=$s timelimit=9; ctl scontrol update jobid=$s timelimit=9; ctl scontrol update jobid=$r name=renamed
as alice scontrol hold $s; as bob scontrol update jobid=$v numcpus=1; as bob scontrol update jobid=${y}_3 timelimit=1; as bob scontrol hold ${y}_4
ctl scontrol update jobid=$z priority=100; as carol scontrol update jobid=$z nice=50; as carol scontrol update jobid=$z reqnodelist=n4; ctl scontrol update jobid=$w timelimit+=5
as bob scontrol update jobid=$w mincpusnode=2; as bob scontrol update jobid=$v excnodelist=n1; as bob scontrol update jobid=$v comment=hello; sleep 3; snap b
sleep 3; snap c; sleep 6; snap d; as bob scontrol release ${y}_4; waitdone 40
