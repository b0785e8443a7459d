sub alice -J l1 -p one --qos=low -w n1 -n4 -t 5 --wrap 'sleep 34'; sleep 1.1
sub alice -J l2 -p two --qos=low -w n2 -n4 -t 5 --wrap 'sleep 34'; sleep 1.1
sub bob -J l3 -p one --qos=low -w n3 -n4 -t 5 --wrap 'sleep 34'; sleep 1.6; snap a
sub carol -J h1 -p one --qos=high -w n1 -n4 -t 2 --wrap 'sleep 24'; sleep 1.1
sub carol -J h2 -p one --qos=high -w n2 -n4 -t 2 --wrap 'sleep 16'; sleep 1.1
sub dave -J h3 -p upper --qos=high -w n3 -n4 -t 2 --wrap 'sleep 13'; sleep 1.1
sub bob -J w1 -p one --qos=low -n1 -t 2 --wrap 'sleep 3'; sub dave -J w2 -p upper --qos=normal -w n1 -n4 -t 2 --wrap 'sleep 3'; sleep 1.6; snap b
sleep 4; snap c; sleep 4; snap d; sleep 4; snap e; sleep 5; snap f; sleep 6; snap g; waitdone 90
