sub alice -J one -N1 --exclusive -t 2 --wrap 'sleep 9'; sub alice -J two -N2 --exclusive -t 2 --wrap 'sleep 6'; sleep 1.5
sub bob -J three -N3 --exclusive --switches=1 -t 2 --wrap 'sleep 3'
sub bob -J wait -N3 --exclusive --switches=1@00:04 -t 2 --wrap 'sleep 3'
sub carol -J any -N3 --exclusive -t 1 --wrap 'sleep 3'
sub carol -J small -N1 --exclusive -t 1 --wrap 'sleep 3'
sub dave -J four -N4 --exclusive -t 1 --wrap 'sleep 3'
sleep 2; snap a; sleep 4; snap b; sleep 4; snap c; waitdone 60
