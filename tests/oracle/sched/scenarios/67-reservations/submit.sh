ctl scontrol create reservation reservationname=now1 starttime=now duration=10 nodes=n1 users=bob flags=ignore_jobs
ctl scontrol create reservation reservationname=two starttime=now duration=10 nodecnt=2 users=carol
ctl scontrol create reservation reservationname=soon starttime=now+150 duration=10 nodes=n4 flags=maint,ignore_jobs users=root
ctl scontrol create reservation reservationname=bad starttime=now duration=10 nodes=n9 users=root
ctl scontrol create reservation reservationname=busy starttime=now duration=10 nodes=n1 users=root
gate_close
sub alice -J out1 -N1 --exclusive -t 1 --wrap 'sleep 4'
sub alice -J out5 -N1 --exclusive -t 5 --wrap 'sleep 4'
sub bob -J in1 --reservation=now1 -n2 -t 5 --wrap 'sleep 5'
sub bob -J in2 --reservation=now1 -n2 -t 5 --wrap 'sleep 5'
sub bob -J in3 --reservation=now1 -n2 -t 5 --wrap 'sleep 5'
sub carol -J c1 --reservation=two -N2 --exclusive -t 5 --wrap 'sleep 5'
sub carol -J c2 --reservation=two -N3 -t 5 --wrap 'sleep 5'
sub dave -J denied --reservation=two -n1 -t 5 --wrap 'sleep 5'
sub dave -J unknown --reservation=zzz -n1 -t 5 --wrap 'sleep 5'
sub dave -J small -n1 -t 1 --wrap 'sleep 3'
gate_open; sleep 4; snap a; sleep 6; snap b
ctl scontrol delete reservation=soon; sleep 4; snap c; ctl scontrol delete reservation=two; sleep 6; snap d; scancel -t PD -u bob; scancel -t PD -u carol; waitdone 20
ctl scontrol delete reservation=now1
