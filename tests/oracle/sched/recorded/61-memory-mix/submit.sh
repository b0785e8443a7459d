gate_close
sub alice -J big -n1 --mem=7000 -t 3 --wrap 'sleep 8'
sub alice -J two -n2 --mem-per-cpu=2000 -t 2 --wrap 'sleep 6'
sub bob -J all -N1 --exclusive -t 2 --wrap 'sleep 4'
sub bob -J mid -n1 --mem=3000 -t 1 --wrap 'sleep 4'
sub carol -J tiny -n2 -t 1 --wrap 'sleep 4'
sub carol -J wide -N2 -n2 --mem=1000 -t 1 --wrap 'sleep 3'
sub dave -J zero -n1 --mem=0 -t 1 --wrap 'sleep 3'
sub dave -J never -n1 --mem=9000 -t 1 --wrap 'sleep 3'
gate_open; sleep 4; snap a; sleep 5; snap b; sleep 5; snap c; waitdone 20; snap d; scancel -u dave
