gate_close
sub alice -J ab -p a,b -N1 --exclusive -t 8 --wrap 'sleep 6'
sub alice -J long -p a,b -N1 --exclusive -t 30 --wrap 'sleep 6'
sub bob -J two -p b,a -N2 --exclusive -t 8 --wrap 'sleep 4'
sub bob -J none -p a,c -N1 --exclusive -t 30 --wrap 'sleep 4'
sub carol -J abc -p a,b,c -N1 --exclusive -t 4 --wrap 'sleep 5'
sub carol -J onlyc -p c -N2 --exclusive -t 4 --wrap 'sleep 5'
sub dave -J onlya -p a -N1 --exclusive -t 2 --wrap 'sleep 3'
d=$(sub dave -J move -p b -N1 --exclusive -t 2 --wrap 'sleep 3')
sub dave -J unk -p a,zz -n1 -t 1 --wrap 'sleep 1'
gate_open; sleep 4; snap a; ctl scontrol update partition=b state=down; as dave scontrol update jobid=$d partition=a,c; sleep 4; snap b
ctl scontrol update partition=b state=up; sleep 5; snap c; waitdone 30; snap d; scancel -n none
