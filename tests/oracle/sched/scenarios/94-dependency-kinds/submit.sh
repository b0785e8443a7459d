a=$(sub alice -J good -n2 -t 2 --wrap 'sleep 5'); b=$(sub alice -J bad -n2 -t 2 --wrap 'sleep 4; exit 3'); c=$(sub alice -J long -n4 -t 3 --wrap 'sleep 30'); waitrun $c
sub bob -J ok -d afterok:$a -n3 -t 1 --wrap 'sleep 3'; sub bob -J notok -d afternotok:$b -n3 -t 1 --wrap 'sleep 3'
sub bob -J okbad -d afterok:$b -n1 -t 1 --wrap 'sleep 2'; sub bob -J notgood -d afternotok:$a -n1 -t 1 --wrap 'sleep 2'
d=$(sub carol -J both -d afterok:$a,afterany:$b -N2 -n2 -t 1 --wrap 'sleep 2'); sub carol -J either -d "afterok:$b?afterok:$a" -n1 -t 1 --wrap 'sleep 2'
sub carol -J begun -d after:$c -n1 -t 1 --wrap 'sleep 4'; sub dave -J two -d afterany:$a:$b -n2 -t 1 --wrap 'sleep 3'
e=$(sub dave -J one -n1 -t 1 --wrap 'sleep 6'); sub dave -J one -d singleton -n1 -t 1 --wrap 'sleep 3'; sub dave -J one -d singleton,afterok:$d -n1 -t 1 --wrap 'sleep 2'
sub alice -J onlong -d afterany:$c -n8 -t 1 --wrap 'sleep 2'; sub alice -J notlong -d afternotok:$c -n2 -t 1 --wrap 'sleep 2'
sleep 1.7; snap a; sleep 4; snap b; as alice scancel $c; sleep 3.3; snap c; sleep 5; snap d; waitdone 30; scancel -u bob
