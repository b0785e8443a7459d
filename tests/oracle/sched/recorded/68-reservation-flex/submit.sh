ctl scontrol create reservation reservationname=flex starttime=now+8 duration=10 nodes=n1 users=bob flags=flex,ignore_jobs
ctl scontrol create reservation reservationname=strict starttime=now+8 duration=10 nodes=n2 users=carol flags=ignore_jobs
sub bob -J wide --reservation=flex -N2 --exclusive -t 2 --wrap 'sleep 4'
sub bob -J early --reservation=flex -n1 -t 2 --wrap 'sleep 4'
sub carol -J waits --reservation=strict -n1 -t 2 --wrap 'sleep 3'
sub dave -J other -n4 -t 5 --wrap 'sleep 4'
sleep 4; snap a; sleep 7; snap b; sleep 5; snap c; waitdone 40
ctl scontrol delete reservation=flex; ctl scontrol delete reservation=strict
