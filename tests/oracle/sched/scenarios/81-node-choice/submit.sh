a=$(sub alice -J on2 -w n2 -n2 -t 3 --wrap 'sleep 9'); b=$(sub alice -J on5 -w n5 --exclusive -t 2 --wrap 'sleep 6'); waitrun $b; sleep 1
sub bob -J contig -N2 -n2 --contiguous --exclusive -t 2 --wrap 'sleep 4'
sub bob -J spread -n3 --spread-job -t 2 --wrap 'sleep 4'
sub bob -J pair -w n1,n4 -N3 -n3 -t 2 --wrap 'sleep 4'
sub carol -J min4 -n1 --mincpus=4 -t 2 --wrap 'sleep 4'
sub carol -J notb -x n[4-6] -N2 -n2 -t 1 --wrap 'sleep 4'
sub carol -J bigmem -C big --mem=12000 -n1 -t 1 --wrap 'sleep 4'
sub dave -J range -N2-4 -n4 --exclusive -t 1 --wrap 'sleep 3'
sub dave -J usemin -N1-3 -n6 --use-min-nodes -t 1 --wrap 'sleep 3'
sub dave -J both -w n2 -x n2 -n1 -t 1 --wrap 'sleep 3'
sub dave -J unknown -w n9 -n1 -t 1 --wrap 'sleep 3'
sub dave -J six -N6 -n6 -t 1 --wrap 'sleep 2'
sleep 3; snap a; sleep 5; snap b; sleep 6; snap c; waitdone 40
