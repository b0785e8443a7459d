sub alice -J l1 -p low -n4 -t 5 --requeue --wrap 'sleep 10'; sleep 1.1
sub alice -J l2 -p low -n4 -t 5 --no-requeue --wrap 'sleep 10'; sleep 2; snap a
sub carol -J h1 -p high -N2 --exclusive -t 2 --wrap 'sleep 4'; sleep 3; snap b; sleep 4
sub bob -J l3 -p low -n4 -t 2 --wrap 'sleep 3'; sleep 3; snap c; waitdone 170
