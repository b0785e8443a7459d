a=$(sub alice -J one -n4 -t 3 --wrap 'for i in 1 2 3 4 5 6 7 8; do sleep 1; done'); sleep 2.5
b=$(sub bob -J two -n4 -t 3 --wrap 'sleep 4'); sleep 1; snap a
as alice scontrol suspend $a; ctl scontrol suspend $a; sleep 3; snap b; ctl scontrol suspend $b; ctl scontrol suspend 999
sleep 2; snap c; ctl scontrol resume $b; sleep 5; ctl scontrol resume $a; ctl scontrol resume $a; sleep 2; snap d; waitdone 60
