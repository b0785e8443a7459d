a=$(sub alice -J steps -a 0-20:5%2 -n2 -t 1 --wrap 'sleep 5')
b=$(sub bob -J list -a 1,3,7-9 -n2 -t 1 --wrap 'sleep 5')
sleep 2.5; snap a
ctl scancel ${b}_[8-9]; as alice scancel ${a}_5; as bob scancel ${a}_20; ctl scontrol hold ${a}_15
sleep 2; snap b; ctl scontrol update jobid=$a ArrayTaskThrottle=1; sleep 6; snap c
ctl scontrol release ${a}_15; sleep 6; snap d; waitdone 40
