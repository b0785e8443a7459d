sub alice -J block -n4 -t 2 --wrap 'sleep 6'; sleep 1
sub bob   -J later -b now+12 -n4 -t 1 --wrap 'sleep 2'
sub carol -J soon  -b now+3 -n4 -t 1 --wrap 'sleep 3'
sub dave  -J plain -n4 -t 1 --wrap 'sleep 3'
sub alice -J hbeg  -H -b now+4 -n4 -t 1 --wrap 'sleep 2'
h=$(sub bob -J small -b now+2minutes -n1 -t 1 --wrap 'sleep 1')
sleep 1; snap a; ctl scontrol update jobid=$h starttime=now+4
sleep 8; snap b; ctl scontrol release 5; sleep 3; snap c; waitdone 40
