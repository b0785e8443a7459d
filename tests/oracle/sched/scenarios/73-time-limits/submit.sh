sub alice -J over -n1 -t 1 --wrap 'sleep 200'
s=$(sub alice -J warned -n1 -t 2 --signal=B:USR1@90 --wrap 'trap "exit 9" USR1; for i in $(seq 1 180); do sleep 1; done')
c=$(sub bob -J longer -n1 -t 1 --wrap 'sleep 75'); d=$(sub bob -J self -n1 -t 1 --wrap 'sleep 75'); sleep 3
ctl scontrol update jobid=$c timelimit=3; as bob scontrol update jobid=$d timelimit=5
sleep 5; snap a; sleep 52; snap b; waitdone 120
