sub alice -J block -N1 --exclusive -t 2 --wrap 'sleep 6'; sleep 1.5
sub bob -J het -n4 -t 2 : -n2 -t 2 --wrap 'sleep 4'
sub carol -J bighet -n4 -t 2 : -N2 --exclusive -t 2 --wrap 'sleep 4'
sub dave -J single -n2 -t 1 --wrap 'sleep 3'
sleep 3; snap a; sleep 5; snap b; sleep 5; snap c; waitdone 60
