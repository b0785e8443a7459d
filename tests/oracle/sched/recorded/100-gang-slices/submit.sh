sub alice -J a1 -w n1 -n4 -t 5 --wrap 'sleep 26'; sleep 1.1
sub bob -J b1 -w n1 -n4 -t 5 --wrap 'sleep 27'; sleep 1.1
sub carol -J c1 -w n1 -n2 -t 5 --wrap 'sleep 5'; sub dave -J d1 -w n2 -n2 -t 5 --wrap 'sleep 30'; sleep 1.1
sub alice -J a2 -w n2 -n3 -t 5 --wrap 'sleep 22'; sleep 1.5; snap a
sleep 2.5; snap b; sleep 2.5; snap c; sleep 2.5; snap d; sleep 2.5; snap e; sleep 5; snap f; sleep 5; snap g; waitdone 90
