gate_close
sub alice -J user1 --exclusive=user -n1 -t 2 --wrap 'sleep 6'; sub alice -J user2 --exclusive=user -n2 -t 2 --wrap 'sleep 8'; sub alice -J shared -n1 -t 2 --wrap 'sleep 5'
sub bob -J whole -p whole -n1 -t 2 --wrap 'sleep 4'; sub bob -J whole2 -p whole -n2 --oversubscribe -t 2 --wrap 'sleep 4'
sub carol -J mine1 -p mine -n1 -t 2 --wrap 'sleep 6'; sub carol -J mine2 -p mine -n4 -t 2 --wrap 'sleep 6'; sub dave -J mine3 -p mine -n1 -t 2 --wrap 'sleep 4'
sub dave -J share -n1 -t 2 --oversubscribe --wrap 'sleep 4'; sub bob -J user3 --exclusive=user -n1 -t 1 --wrap 'sleep 3'; sub carol -J any -n2 -t 1 --wrap 'sleep 3'
gate_open; sleep 4; snap a; sleep 4; snap b; sleep 5; snap c; waitdone 40
