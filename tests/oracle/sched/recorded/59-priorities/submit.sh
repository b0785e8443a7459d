sub alice -J block -n4 -t 2 --wrap 'sleep 7'; sleep 1.5
a=$(sub alice -J plain -n4 -t 1 --wrap 'sleep 1')
b=$(sub bob -J nice -n4 -t 1 --nice=500 --wrap 'sleep 1')
c=$(sub carol -J boost -n4 -t 1 --wrap 'sleep 1'); ctl scontrol update jobid=$c priority=1000
d=$(sub dave -J second -n4 -t 1 --wrap 'sleep 1'); ctl scontrol update jobid=$d priority=900
e=$(sub alice -J lower -n4 -t 1 --wrap 'sleep 1'); as alice scontrol update jobid=$e nice=100
f=$(sub bob -J raise -n4 -t 1 --wrap 'sleep 1'); as bob scontrol update jobid=$f nice=-50; ctl scontrol update jobid=$f priority=950
as carol scontrol update jobid=$d priority=1
sleep 1; snap a; sleep 8; snap b; waitdone 40
