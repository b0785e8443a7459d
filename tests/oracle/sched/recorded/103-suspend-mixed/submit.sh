sub alice -J l1 -p low -N1 -n4 -t 5 --wrap 'sleep 40'; sleep 1.1
sub alice -J r1 -p again -N1 -n4 -t 5 --wrap 'sleep 40'; sleep 1.1
sub bob -J g1 -p gone -N1 -n4 -t 5 --wrap 'sleep 40'; sleep 1.1
sub bob -J f1 -p firm -N1 -n4 -t 5 --wrap 'sleep 32'; sleep 1.6; snap a
sub carol -J h1 -p high -N1 -n4 -t 1 --wrap 'sleep 5'; sleep 2.1; snap b; sleep 5; snap c
sub carol -J h2 -p high -N2 -n8 -t 1 --wrap 'sleep 5'; sleep 3.1; snap d; sleep 6; snap e
sub dave -J h3 -p high -N4 -n16 -t 1 --wrap 'sleep 4'; sleep 3.1; snap f; sleep 8; snap g; waitdone 180
