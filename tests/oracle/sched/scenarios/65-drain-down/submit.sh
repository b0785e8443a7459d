a=$(sub alice -J stays -w n1 -n2 -t 3 --wrap 'sleep 7'); b=$(sub alice -J lost -w n2 -n2 -t 3 --requeue --wrap 'sleep 8'); c=$(sub bob -J gone -w n2 -n1 -t 3 --no-requeue --wrap 'sleep 8'); sleep 2.5
ctl scontrol update node=n1 state=drain reason=disk
sub bob -J want1 -w n1 -n1 -t 1 --wrap 'sleep 2'
sub carol -J any -n2 -t 1 --wrap 'sleep 4'
sub carol -J three -N3 -t 1 --wrap 'sleep 2'
sleep 2; snap a; ctl scontrol update node=n2 state=drain reason=psu; ctl scontrol update node=n2 state=down reason=psu
sub dave -J want2 -w n2 -n1 -t 1 --wrap 'sleep 2'
sleep 2; snap b; sleep 4; ctl scontrol update node=n1 state=resume; sleep 3; snap c
ctl scontrol update node=n2 state=resume; sleep 5; snap d; waitdone 170
