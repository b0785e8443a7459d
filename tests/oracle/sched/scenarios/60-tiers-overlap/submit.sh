gate_close
sub alice -J l1 -p low -N1 --exclusive -t 5 --wrap 'sleep 8'
sub alice -J l2 -p low -N3 --exclusive -t 5 --wrap 'sleep 4'
sub bob -J m1 -p mid -N2 --exclusive -t 3 --wrap 'sleep 6'
sub bob -J m2 -p mid -N1 --exclusive -t 3 --wrap 'sleep 4'
sub carol -J t1 -p top -N1 --exclusive -t 2 --wrap 'sleep 10'
sub carol -J t2 -p top -N2 --exclusive -t 2 --wrap 'sleep 4'
sub dave -J l3 -p low -N1 --exclusive -t 1 --wrap 'sleep 3'
gate_open; sleep 4; snap a; sleep 5; snap b; sleep 5; snap c; waitdone 60
