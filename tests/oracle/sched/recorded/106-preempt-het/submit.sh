sub alice -J l1 -p low -N1 --exclusive -t 5 --wrap 'sleep 50'; sleep 1.1
sub alice -J l2 -p low -N1 --exclusive -t 5 --wrap 'sleep 48'; sleep 1.1
sub bob -J l3 -p low -N1 --exclusive -t 5 --wrap 'sleep 46'; sleep 1.6; snap a
sub carol -J h1 -p high -N1 --exclusive -t 1 --wrap 'sleep 6' : -p high -N1 --exclusive; sleep 5; snap b; sleep 6; snap c; sleep 6; snap d
sub dave -J l4 -p low -N1 --exclusive -t 5 --wrap 'sleep 30'; sleep 2
sub carol -J h2 -p high -N2 --exclusive -t 1 --wrap 'sleep 5' : -p high -N2 --exclusive; sleep 5; snap e; sleep 6; snap f; sleep 8; snap g; waitdone 120
