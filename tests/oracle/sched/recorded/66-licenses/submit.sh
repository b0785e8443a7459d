gate_close
sub alice -J l1 -n1 -L lic -t 2 --wrap 'sleep 5'
sub alice -J l2 -n1 -L lic:2 -t 2 --nice=1 --wrap 'sleep 4'
sub bob -J l3 -n1 -L lic,other -t 2 --nice=2 --wrap 'sleep 7'
sub bob -J o1 -n1 -L other -t 2 --nice=3 --wrap 'sleep 3'
sub carol -J none -n1 -t 2 --nice=4 --wrap 'sleep 3'
sub carol -J many -n1 -L lic:3 -t 2 --nice=5 --wrap 'sleep 3'
sub dave -J unk -n1 -L what -t 2 --nice=6 --wrap 'sleep 3'
gate_open; sleep 3; snap a; sleep 5; snap b; sleep 5; snap c; waitdone 20; scancel -u carol
