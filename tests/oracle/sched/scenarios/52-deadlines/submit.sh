sub alice -J block -n4 -t 2 --wrap 'sleep 20'; sleep 1
sub bob   -J ok    --deadline=now+5minutes -n4 -t 1 --wrap 'sleep 2'
sub bob   -J tight --deadline=now+66 -n4 -t 1 --wrap 'sleep 2'
sub carol -J never --deadline=now+30 -t 1 -n4 --wrap 'sleep 2'
sub carol -J past  --deadline=now-30 -t 1 -n4 --wrap 'sleep 2'
sub dave  -J nolim --deadline=now+4minutes -n1 --wrap 'sleep 2'
sub dave  -J after -n4 -t 1 --wrap 'sleep 2'
sleep 2; snap a; sleep 12; snap b; waitdone 60
