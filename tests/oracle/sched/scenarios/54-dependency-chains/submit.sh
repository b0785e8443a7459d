a=$(sub alice -J arr -a 1-3 -n1 -t 1 --wrap 'sleep 4; exit $((SLURM_ARRAY_TASK_ID==2))')
h=$(sub alice -J held -H -n1 -t 1 --wrap 'sleep 1')
l=$(sub alice -J long -n1 -t 2 --wrap 'sleep 30'); sleep 1.5
sub bob -J anyarr -d afterany:$a -n1 -t 1 --wrap 'sleep 2'
sub bob -J okarr -d afterok:$a -n1 -t 1 --wrap 'sleep 2'
sub bob -J oktask -d afterok:${a}_1 -n1 -t 1 --wrap 'sleep 2'
sub bob -J notask -d afternotok:${a}_2 -n1 -t 1 --wrap 'sleep 2'
sub carol -J two -d afterany:$h:$l -n1 -t 1 --wrap 'sleep 2'
sub carol -J onheld -d afterany:$h -n1 -t 1 --wrap 'sleep 2'
u=$(sub carol -J upd -d afterok:$l -n1 -t 1 --wrap 'sleep 2')
sub dave -J corr -d aftercorr:$a -a 1-3 -n1 -t 1 --wrap 'sleep 2'
sleep 2; snap a; sleep 5; snap b
ctl scancel $h; ctl scontrol update jobid=$u dependency=; sleep 5; snap c
ctl scancel $l; sleep 6; snap d; scancel -t PD -u bob; scancel -t PD -u dave; waitdone 30
