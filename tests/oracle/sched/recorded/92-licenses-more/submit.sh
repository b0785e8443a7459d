ctl scontrol create reservation reservationname=lic starttime=now duration=5 licenses=x:1 flags=any_nodes users=carol
sub alice -J two -L x:2 -n1 -t 2 --wrap 'sleep 6'; sub alice -J y2 -L y:2 -n1 -t 2 --wrap 'sleep 9'; sleep 1.5
sub bob -J x1 -L x:1 -n1 -t 2 --wrap 'sleep 3'; b=$(sub bob -J xy -L x:1,y:1 -n1 -t 2 --wrap 'sleep 3'); sub bob -J x4 -L x:4 -n1 -t 2 --wrap 'sleep 3'; sub bob -J z -L z:1 -n1 -t 2 --wrap 'sleep 3'
sub carol -J inres --reservation=lic -L x:1 -n1 -t 2 --wrap 'sleep 4'; sub carol -J big --reservation=lic -L x:2 -n1 -t 2 --wrap 'sleep 4'; sub dave -J free -n1 -t 1 --wrap 'sleep 2'
sleep 2; snap a; as bob scontrol update jobid=$b licenses=x:1; sleep 5; snap b; sleep 5; snap c; ctl scontrol delete reservation=lic; sleep 3; snap d; scancel -u bob; scancel -u carol; waitdone 30; ctl scontrol delete reservation=lic
