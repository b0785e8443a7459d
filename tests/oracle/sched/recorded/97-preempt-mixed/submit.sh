a=$(sub alice -p low -J low1 -N1 --exclusive -t 5 --wrap 'sleep 15'); sub alice -p low -J low2 -n2 -t 5 --wrap 'sleep 12'; sub alice -p low --no-requeue -J low3 -n2 -t 5 --wrap 'sleep 14'
g=$(sub bob -p grace -J grace -N1 --exclusive -t 5 --wrap 'sleep 20'); f=$(sub bob -p firm -J firm -N1 --exclusive -t 5 --wrap 'sleep 9'); waitrun $f; sleep 1.6
sub carol -p high -J small -n1 -t 1 --wrap 'sleep 3'; sub dave -p low -J behind -n2 -t 2 --wrap 'sleep 2'; sleep 2.4; snap a
sub carol -p high -J two -N2 --exclusive -t 1 --wrap 'sleep 4'; sub dave -p grace -J again -n1 -t 2 --wrap 'sleep 3'; sleep 3; snap b; sleep 4.5; snap c
sub carol -p high -J four -N4 --exclusive -t 1 --wrap 'sleep 2'; sleep 5; snap d; waitdone 170
