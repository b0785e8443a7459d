sub alice -J l1 -p left -N2 -n8 -t 5 --wrap 'sleep 30'; sleep 1.1
sub bob -J r1 -p right -N1 -w n1 -n4 -t 5 --wrap 'sleep 31'; sleep 1.6; snap a
sub bob -J r2 -p right -N1 -w n1 -n4 -t 5 --wrap 'sleep 30'; sleep 2.1
sub alice -J l2 -p left -N1 -w n2 -n2 -t 5 --wrap 'sleep 21'; sleep 1.1; snap b
sleep 4; snap c; sleep 4; snap d
sub carol -J h1 -p above -N1 -w n1 -n4 -t 2 --wrap 'sleep 8'; sleep 3; snap e; sleep 4; snap f; sleep 5; snap g; waitdone 90
