sub alice -J g1 -p low -N1 --exclusive -t 5 --wrap 'sleep 12'; sleep 1.1
sub alice -J g2 -p low -N1 --exclusive -t 5 --wrap 'sleep 50'; sleep 1.1
sub bob -J r1 -p again -N1 --exclusive -t 5 --wrap 'sleep 40'; sleep 1.1
sub bob -J s1 -p safe -N1 --exclusive -t 5 --wrap 'sleep 20'; sleep 2; snap a
sub carol -J h1 -p high -N3 --exclusive -t 2 --wrap 'sleep 5'; sleep 2; snap b; sleep 9; snap c
sub dave -J h2 -p high -N1 --exclusive -t 2 --wrap 'sleep 5'; sleep 3; snap d; sleep 20; snap e; waitdone 160
