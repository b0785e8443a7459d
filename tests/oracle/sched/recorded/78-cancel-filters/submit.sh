sub alice -J x -p a -n2 -t 5 --wrap 'sleep 30'; sub alice -J y -p b -n2 -t 5 --wrap 'sleep 30'; sub bob -J x -p a -n2 -t 5 --wrap 'sleep 30'; sub bob -J z -p b -n2 -t 5 --wrap 'sleep 12'
sleep 2.5
sub alice -J x -p a -n2 -t 5 --wrap 'sleep 4'; sub alice -J w -p b -n2 -t 5 --wrap 'sleep 4'; sub carol -J x -p a -n4 -t 5 --wrap 'sleep 4'; sub carol -J v -p b -n2 -t 5 --wrap 'sleep 4'
sleep 1; snap a
as bob scancel -n x; as alice scancel -t PD -n x; as carol scancel 1; as carol scancel 999; ctl scancel -p b -t PD -u carol
sleep 3; snap b; ctl scancel -u alice; sleep 4; snap c; waitdone 40
