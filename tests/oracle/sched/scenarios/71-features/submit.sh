sub alice -J fast -C fast -N1 --exclusive -t 2 --wrap 'sleep 6'
sub alice -J both -C 'rack2&slow' -N1 --exclusive -t 2 --wrap 'sleep 6'; sleep 1.5
sub bob -J or -C 'fast|slow' -N2 --exclusive -t 2 --wrap 'sleep 4'
sub bob -J nofeat -C warp -n1 -t 2 --wrap 'sleep 4'
sub bob -J never -C 'rack1&slow' -n1 -t 2 --wrap 'sleep 4'
sub carol -J same -C '[rack1|rack2]' -N2 --exclusive -t 2 --wrap 'sleep 4'
sub carol -J counts -C '[rack1*1&rack2*1]' -N2 --exclusive -t 2 --wrap 'sleep 4'
sub dave -J notn -x n[1-3] -n1 -t 2 --wrap 'sleep 3'
sub dave -J onn2 -w n2 -n1 -t 2 --wrap 'sleep 3'
sleep 2; snap a; sleep 6; snap b; sleep 5; snap c; waitdone 40; snap d; scancel -t PD -u bob
