sub alice -J run -p a -n4 -t 2 --wrap 'sleep 5'; sub bob -J runb -p b -n4 -t 2 --wrap 'sleep 5'; sleep 1.5
ctl scontrol update partition=a state=down
sub alice -J wa -p a -n2 -t 1 --wrap 'sleep 3'
sub bob -J wb -p b -n2 -t 1 --wrap 'sleep 3'
sub carol -J both -p a,b -n4 -t 1 --wrap 'sleep 3'
sleep 6; snap a; ctl scontrol update partition=b state=drain
sub dave -J refused -p b -n1 -t 1 --wrap 'sleep 1'
ctl scontrol update partition=a state=inactive
sub dave -J inact -p a -n1 -t 1 --wrap 'sleep 1'
sleep 2; snap b; ctl scontrol update partition=a state=up; sleep 4; snap c; waitdone 40
