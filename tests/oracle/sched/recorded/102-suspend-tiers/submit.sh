sub alice -J l1 -p low -N1 -n4 -t 5 --wrap 'sleep 30'; sleep 1.1
sub alice -J l2 -p low -N1 -n2 -t 5 --wrap 'sleep 26'; sleep 1.1
sub bob -J l3 -p low -N1 -n2 -t 5 --wrap 'sleep 8'; sleep 1.6; snap a
sub carol -J m1 -p mid -N2 -n6 -t 5 --wrap 'sleep 16'; sleep 1.6; snap b
sub dave -J h1 -p high -N1 -n4 -w n1 -t 2 --wrap 'sleep 6'; sleep 2.1; snap c
sub bob -J l4 -p low -N1 -n1 -t 2 --wrap 'sleep 3'; sub bob -J m2 -p mid -N1 -n2 -t 2 --wrap 'sleep 4'; sleep 1.6; snap d
sleep 4; snap e; as alice scancel 2; sleep 2; snap f; sleep 6; snap g; waitdone 60
