gate_close
sub alice -J long -N2 --exclusive -t 5 --wrap 'sleep 10'
sub alice -J wide -N4 --exclusive -t 2 --nice=5 --wrap 'sleep 3'
sub bob -J b1 -N1 --exclusive -t 1 --nice=10 --wrap 'sleep 3'
sub bob -J b2 -N1 --exclusive -t 1 --nice=11 --wrap 'sleep 3'
sub carol -J c1 -n1 -t 1 --nice=12 --wrap 'sleep 3'
sub carol -J c2 -n1 -t 1 --nice=13 --wrap 'sleep 3'
sub dave -J d1 -n1 -t 1 --nice=14 --wrap 'sleep 3'
gate_open; sleep 3; snap a; sleep 4; snap b; waitdone 60
