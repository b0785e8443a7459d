sub alice -J over -n1 -t 1 --wrap 'sleep 75'; sub alice -J default -n1 --wrap 'sleep 5'; sub alice -J kill -p over -n1 -t 1 --wrap 'sleep 200'
sub bob -J fill -N3 -n6 -t 2 --wrap 'sleep 12'; sleep 1.5
sub bob -J wait -N3 --exclusive -t 3 --wrap 'sleep 4'
sub carol -J shrink -n1 -t 5 --time-min=1 --wrap 'sleep 4'
sub carol -J long -n1 -t 20 --wrap 'sleep 4'
d=$(sub dave -J dead -N3 --exclusive -t 2 --deadline=now+150 --wrap 'sleep 2'); e=$(sub dave -J dead2 -N3 --exclusive -t 1 --deadline=now+90 --wrap 'sleep 2')
sleep 2; snap a; sleep 8; snap b; sleep 60; snap c; sleep 40; snap d; waitdone 60; scancel -u carol
