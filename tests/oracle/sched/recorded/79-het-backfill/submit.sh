sub alice -J early -N2 --exclusive -t 1 --wrap 'sleep 14'; sub alice -J late -N1 --exclusive -t 2 --wrap 'sleep 24'; sleep 2.5
sub bob -J het -N2 --exclusive -t 2 : -N1 -n2 -t 2 --wrap 'sleep 8'; sleep 1.5
sub carol -J short -N1 -n2 -t 1 --wrap 'sleep 5'
sub carol -J long -N1 -n2 -t 30 --wrap 'sleep 6'
sub dave -J bighet -N2 --exclusive -t 3 : -N2 --exclusive -t 3 --wrap 'sleep 5'
sub dave -J tiny -n1 -t 1 --wrap 'sleep 3'
sleep 4; snap a; sleep 12; snap b; sleep 12; snap c; waitdone 90
