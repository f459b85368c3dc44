#!/bin/bash
# prelaunch.slurm for real: Slurm's own daemons on this machine, a campaign of four shards of which one
# is killed and one gets the signal that comes before the time limit, and the merge of what they leave.
# Exits with 77 where Slurm cannot run.
set -u
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$PATH:/usr/sbin
shards=4
interrupted=1
killed=2

tmp=$(mktemp -d)
daemons=()
# Processes that have a file of the test's folder open or work in it: the daemons, what they started,
# and what that started.
of_this_test() {
  find /proc/[0-9]*/cwd /proc/[0-9]*/fd -maxdepth 1 -lname "$tmp*" 2>/dev/null |
    cut -d / -f 3 | sort -u | grep -vx $$
}
# Whatever ends the test: first the daemons, so that they start nothing more, then what is left of all
# that they started, then the folder.
clean_up() {
  cd /
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null; done
  [ ${#daemons[@]} = 0 ] || until_true 5 '! kill -0 "${daemons[@]}" 2>/dev/null'
  for pid in $(of_this_test); do kill -KILL "$pid" 2>/dev/null; done
  rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

skip() {
  echo "slurm_test: skipped: $1"
  exit 77
}
failures=0
fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}
# Polls until a condition holds.
until_true() { # seconds, condition
  local end=$((SECONDS + $1))
  while [ $SECONDS -lt $end ]; do
    eval "$2" && return
    sleep 0.2
  done
  return 1
}

free_ports() { # count: ports on which nobody listens now
  local port=$((20000 + $$ % 10000)) found=0
  while [ $found -lt "$1" ] && [ $((++port)) -lt 32000 ]; do
    (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue
    echo $port
    found=$((found + 1))
  done
}
write_conf() { # ports of the two daemons
  cat >"$tmp/slurm.conf" <<CONF
ClusterName=prelaunch
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
ReturnToService=2
SlurmctldPort=$1
SlurmdPort=$2
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$shards State=UNKNOWN
PartitionName=prelaunch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}
# Where no controller listens, it would ask again for minutes.
is_up() { [ "$(timeout 2 sinfo --noheader --format=%T 2>/dev/null)" = idle ]; }
start_daemons() {
  mkdir "$tmp/state" "$tmp/spool" "$tmp/results"
  # shellcheck disable=SC2046
  write_conf $(free_ports 2)
  export SLURM_CONF=$tmp/slurm.conf
  local daemon
  for daemon in slurmctld slurmd; do
    $daemon -D -f "$SLURM_CONF" >"$tmp/$daemon.out" 2>&1 &
    daemons+=($!)
    disown
  done
  until_true 20 '! kill -0 "${daemons[@]}" 2>/dev/null || is_up' && is_up && return
  for daemon in slurmctld slurmd; do
    tail -n 1 "$tmp/$daemon.log" >>"$tmp/last" 2>/dev/null || tail -n 1 "$tmp/$daemon.out" >>"$tmp/last"
  done
  skip "the daemons do not come up: $(paste -sd '|' "$tmp/last")"
}

for program in slurmctld slurmd sbatch; do
  command -v $program >/dev/null ||
    skip "$program is not installed (apt-get install slurmctld slurmd slurm-client)"
done
[ "$(id -u)" = 0 ] || skip "slurmd has to run as root, this is $(id -un)"
campaign=$checkout/build/fuzz/fuzz/campaign/prelaunch-campaign
[ -x "$campaign" ] || skip "$campaign is not built (./prelaunch fuzz --help)"
start_daemons

# Nothing but the tasks' folders is written: inputs go to a work corpus of the test's own. One op is
# enough: with all of them each target would get a second.
mkdir -p "$tmp/root"
cp -r "$checkout/corpus" "$tmp/root"
rm -rf "$tmp/root/corpus/.work"
cat >"$tmp/root/prelaunch" <<SH
#!/bin/sh
shift
case \$1 in --merge) ;; *) set -- "\$@" --ops ulysses_pack ;; esac
PRELAUNCH_ROOT=$tmp/root exec "$campaign" "\$@"
SH
chmod +x "$tmp/root/prelaunch"
results=$tmp/results
folder() { echo "$results/shard-$1-of-$shards"; }
holds() { # folder, text
  grep -qF -- "$2" "$1/campaign.json" || fail "$1/campaign.json does not say: $2"
}
total() { # member, folders...: its sum over targets and folders
  local member=$1
  shift
  for each; do cat "$each/campaign.json"; done |
    awk -v member="\"$member\":" '$1 == member { sum += $2 } END { print sum + 0 }'
}

cd "$tmp" || exit 3
job=$(PRELAUNCH_CHECKOUT=$tmp/root PRELAUNCH_RESULTS=$results PRELAUNCH_BUDGET=15s \
  timeout 20 sbatch --parsable --array=0-$((shards - 1)) --cpus-per-task=1 --mem-per-cpu=0 --time=5 \
  "$checkout/fuzz/cluster/prelaunch.slurm") || { fail 'sbatch refuses the script'; exit 1; }
echo "job $job, $shards shards"

# One is killed on the way, one is asked to end.
for index in $interrupted $killed; do
  until_true 60 '[ "$(total executions "$(folder $index)" 2>/dev/null)" -gt 0 ]' ||
    fail "shard $index never counts"
done
pid=$(for pid in $(of_this_test); do
  tr "\0" " " 2>/dev/null <"/proc/$pid/cmdline" | grep -q -- "^$campaign .*--shard $killed/$shards " && echo "$pid"
done)
kill -KILL "$pid" || fail "shard $killed does not run as the task's own process"
timeout 20 scancel --signal=INT --batch "${job}_$interrupted"
until_true 90 '[ -z "$(timeout 5 squeue --noheader 2>&1)" ]' || fail 'the array does not end'

expected=
for ((index = 0; index < shards; ++index)); do
  expected="$expected $(folder $index)"
  if [ $index = $killed ]; then ended=false; else ended=true; fi
  holds "$(folder $index)" "\"ended\": $ended"
  holds "$(folder $index)" "\"index\": $index"
done
holds "$(folder $interrupted)" '"interrupted": true'
[ "$(echo "$results"/*)" = "${expected# }" ] || fail "not four folders: $(ls "$results")"
cat "$tmp"/slurm-*.out >"$tmp/said"
[ "$(grep -c 'corpus calls replayed' "$tmp/said")" = $shards ] || fail 'a shard replays nothing'

"$tmp/root/prelaunch" fuzz --merge "$results"/shard-* --out "$results/merged" >"$tmp/merged"
code=$?
[ $code = 3 ] || fail "merge: exit code $code, not 3"
holds "$results/merged" "\"shard-$killed-of-$shards: the campaign did not end\""
holds "$results/merged" "\"shard-$interrupted-of-$shards: the campaign was interrupted\""
[ "$(grep -c '^NOT TRUSTED' "$tmp/merged")" = 2 ] || fail 'others are not trusted either'
for member in executions accepted rejected executed; do
  # shellcheck disable=SC2086
  [ "$(total $member "$results/merged")" = "$(total $member $expected)" ] ||
    fail "merged $member are no sum"
done
sed -n 's/^/  /p' "$tmp/merged"
[ $failures = 0 ] && echo "all as expected" || tail -n 5 "$tmp"/slurm-*.out "$tmp"/*.log
exit $((failures > 0))
