gate_close
sub alice -J a1 -n1 --gres=gpu:1 --mem=1000 -t 2 --wrap 'sleep 8'
sub alice -J a2 -n1 --gres=gpu:1 --mem=1000 -t 3 --wrap 'sleep 9'
sub alice -J a3 -n1 --gres=gpu:3 --mem=1000 -t 3 --wrap 'sleep 11'
sub bob -J b1 -N1 --gpus=2 --mem=1000 -t 2 --wrap 'sleep 6'
sub bob -J b2 -n2 --gpus-per-task=1 --mem=1000 -t 2 --wrap 'sleep 6'
sub bob -J b3 -n1 --gpus=3 --mem=1000 -t 2 --wrap 'sleep 5'
sub carol -J c1 -n4 --mem=500 -t 1 --wrap 'sleep 5'
sub carol -J c2 -n1 --gpus=3 --mem=1000 -t 2 --wrap 'sleep 5'
sub carol -J c3 -n1 --gpus=2 --mem=1000 -t 2 --wrap 'sleep 5'
sub dave -J d1 -n2 --mem=500 -t 1 --wrap 'sleep 5'
sub dave -J d2 -n1 --gpus=2 --mem=1000 -t 2 --wrap 'sleep 5'
sub dave -J d3 -n1 --mem=500 -t 1 --wrap 'sleep 5'
gate_open; sleep 4; snap a; sleep 6; snap b; waitdone 60
