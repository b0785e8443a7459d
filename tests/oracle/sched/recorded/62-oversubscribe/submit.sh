gate_close
sub alice -J f1 -p force -n3 -t 2 --wrap 'sleep 5'
sub bob -J f2 -p force -n3 -t 2 --wrap 'sleep 7'
sub carol -J f3 -p force -n2 -t 2 --wrap 'sleep 5'
sub dave -J f4 -p force -n1 --exclusive -t 2 --wrap 'sleep 3'
sub alice -J y1 -p yes -n2 -s -t 2 --wrap 'sleep 5'
sub bob -J y2 -p yes -n4 -t 2 --wrap 'sleep 4'
sub carol -J y3 -p yes -n4 -s -t 2 --wrap 'sleep 5'
sub alice -J e1 -p excl -n1 -t 2 --wrap 'sleep 4'
sub bob -J e2 -p excl -n1 -s -t 2 --wrap 'sleep 4'
gate_open; sleep 4; snap a; sleep 5; snap b; sleep 5; snap c; waitdone 40
