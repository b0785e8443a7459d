sub alice -J l1 -p low -N1 -n4 -t 5 --wrap 'sleep 50'; sleep 1.1
sub bob -J q1 -p quick -N1 -n4 -t 5 --wrap 'sleep 50'; sleep 2.6; snap a
sub carol -J h1 -p high -N1 -n4 -w n2 -t 1 --wrap 'sleep 4'; sleep 4; snap b; sleep 7; snap c; sleep 2; snap d
sub dave -J h2 -p high -N1 -n4 -w n1 -t 1 --wrap 'sleep 4'; sleep 3; snap e; sleep 25; snap f; waitdone 220
