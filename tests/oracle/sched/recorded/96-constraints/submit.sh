sub alice -J and -C 'ib&fast' -N1 -n2 -t 2 --wrap 'sleep 7'; sub alice -J or -C 'slow|rack1' -N2 -n4 -t 2 --wrap 'sleep 5'
sub alice -J spread --spread-job -n4 -t 2 --wrap 'sleep 4'; sleep 1.4
sub bob -J cont --contiguous -N3 -n3 --exclusive -t 2 --wrap 'sleep 3'; sub bob -J rack -C '[rack1|rack2]' -N2 -n2 --exclusive -t 2 --wrap 'sleep 4'
sub bob -J count -C '[fast*2&slow*1]' -N3 -n3 -t 2 --wrap 'sleep 3'; sub carol -J none -C gold -n1 -t 1 --wrap 'sleep 2'
sub carol -J toomany -C slow -N3 -t 1 --wrap 'sleep 2'; sub carol -J named -w n3,n5 -N3 -n3 -t 1 --wrap 'sleep 3'
sub carol -J without -x n[1-4] -n5 -t 1 --wrap 'sleep 3'; sub dave -J nopair -C 'ib&gold' -n1 -t 1 --wrap 'sleep 2'
sub dave -J fill -n3 -t 1 --wrap 'sleep 2'; sub dave -J both -w n1 -x n1 -n1 -t 1 --wrap 'sleep 2'; sub dave -J six -N6 --exclusive -t 1 --wrap 'sleep 2'
sleep 2.3; snap a; sleep 4; snap b; sleep 5; snap c; waitdone 40
