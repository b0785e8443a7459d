sub alice -J l1 -p low -n4 -t 5 --wrap 'sleep 14'; sleep 1.1
sub alice -J l2 -p low -n2 -t 5 --wrap 'sleep 14'; sleep 1.1
sub bob -J l3 -p low -n2 -t 5 --wrap 'sleep 14'; sleep 1.1
sub bob -J l4 -p low -n3 -t 5 --wrap 'sleep 14'; sleep 2; snap a
sub carol -J h1 -p high -n4 -t 2 --wrap 'sleep 5'; sleep 3; snap b
sub dave -J h2 -p high -n1 -t 2 --wrap 'sleep 5'; sleep 3; snap c; waitdone 40
