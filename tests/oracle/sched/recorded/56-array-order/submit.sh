gate_close
sub alice -J one -a 1-6 -n2 -t 2 --wrap 'sleep 4'
sub bob -J two -a 1-4 -n2 -t 2 --nice=10 --wrap 'sleep 4'
sub carol -J single -n4 -t 2 --nice=5 --wrap 'sleep 4'
sub dave -J small -n1 -t 1 --nice=20 --wrap 'sleep 3'
gate_open; sleep 3; snap a; sleep 5; snap b; sleep 5; snap c; waitdone 40
