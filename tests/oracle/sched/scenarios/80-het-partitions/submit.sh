sub alice -J block -p fat -N2 --exclusive -t 1 --wrap 'sleep 12'; sleep 2.5
sub bob -J het -p thin -N1 -n4 -t 2 : -p fat -N1 -n4 -t 2 --wrap 'sleep 7'; sleep 1.5
sub carol -J thinshort -p thin -N1 -n4 -t 1 --wrap 'sleep 4'
sub carol -J thinlong -p thin -N1 -n4 -t 20 --wrap 'sleep 9'
sub carol -J fatlong -p fat -N1 -n4 -t 20 --wrap 'sleep 5'
sub dave -J both -p thin -N2 --exclusive -t 2 : -p fat -N2 --exclusive -t 2 --wrap 'sleep 4'
sub alice -J any -p thin,fat -N1 -n2 -t 1 --wrap 'sleep 3'
sleep 4; snap a; sleep 9; snap b; sleep 8; snap c; waitdone 90
