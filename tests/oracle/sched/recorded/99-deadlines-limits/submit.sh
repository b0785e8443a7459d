a=$(sub alice -J fill -N3 --exclusive -t 5 --wrap 'sleep 11'); sub alice -J dflt -n2 --wrap 'sleep 6'; waitrun $a; sleep 1.2
sub bob -J dl1 --deadline=now+4minutes -N2 -n2 --exclusive -t 3 --wrap 'sleep 3'; sub bob -J dl2 --deadline=now+90seconds -n2 -t 1 --wrap 'sleep 4'
sub bob -J long -t 11 -n1 --wrap 'sleep 2'; sub carol -J small -p small -t 3 -n1 --wrap 'sleep 2'; sub carol -J nodes -p small -N2 -t 1 --wrap 'sleep 2'
sub carol -J sm -p small -n3 -t 2 --wrap 'sleep 4'; sub carol -J both -p small,batch -n2 -t 2 --wrap 'sleep 3'
sub dave -J later --begin=now+6 --deadline=now+3minutes -n1 -t 1 --wrap 'sleep 2'; sub dave -J toolate --begin=now+100 --deadline=now+60 -n1 -t 1 --wrap 'sleep 2'
sub dave -J wide -N4 -t 4 --exclusive --wrap 'sleep 2'; sub alice -J back -n2 -t 2 --wrap 'sleep 3'
sleep 2.2; snap a; sleep 4; snap b; sleep 5; snap c; waitdone 40; snap d; scancel -u dave; scancel -u bob
