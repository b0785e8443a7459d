gate_close
sub alice -J long1 -N1 --exclusive -t 4 --nice=0 --wrap 'sleep 8'
sub alice -J long2 -N2 --exclusive -t 6 --nice=1 --wrap 'sleep 12'
sub bob -J wide -N4 --exclusive -t 3 --nice=10 --wrap 'sleep 3'
sub carol -J in6 -N1 --exclusive -t 6 --nice=20 --wrap 'sleep 3'
sub carol -J in5 -N1 --exclusive -t 5 --nice=30 --wrap 'sleep 3'
sub dave -J in1 -N1 --exclusive -t 1 --nice=40 --wrap 'sleep 3'
sub dave -J two3 -N2 --exclusive -t 3 --nice=50 --wrap 'sleep 3'
sub alice -J wide2 -N3 --exclusive -t 9 --nice=60 --wrap 'sleep 3'
sub bob -J nolimit -N1 --exclusive --nice=70 --wrap 'sleep 3'
gate_open; sleep 4; snap a; sleep 4; snap b; sleep 4; snap c; sleep 8; snap d; waitdone 60
