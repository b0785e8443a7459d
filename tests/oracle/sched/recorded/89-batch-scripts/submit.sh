cat >$T/one.sh <<'E'
#!/bin/bash
# a script
#SBATCH -J scripted -n3
#SBATCH --time=2
#SBATCH --nice=5
sleep 5
#SBATCH -n1
E
printf '#!/bin/sh\n#SBATCH --array=1-3%%2 -n2\n#SBATCH --time 0:90 --job-name="two words"\nsleep ${1:-3}\n' >$T/two.sh
printf 'sleep 3\n' >$T/bad.sh
sub alice $T/one.sh; sub alice -J mine -n1 $T/one.sh; sub bob $T/two.sh 4; sub bob -a 5 -J own $T/two.sh; sleep 1.2
sub carol $T/bad.sh; sub carol --test-only -N2 -t 3 --wrap 'sleep 5'; sub carol -J after -N4 --exclusive -t 1 --wrap 'sleep 2'
as carol sbatch -o /dev/null -J direct -n1 -t 1 $T/one.sh; sub dave -t bogus --wrap true; sub dave --mem=10 --mem-per-cpu=10 --wrap true; sub dave -n1 -t 1 -J last --wrap=true
sleep 2; snap a; sleep 6; snap b; waitdone 40
