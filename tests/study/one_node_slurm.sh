#!/usr/bin/env bash
# one_node_slurm.sh [touchstone-cli] [STUDY]: starts a Slurm of this machine alone in a temporary folder, computes a
# study as an array of four jobs of which one is killed, submits the array again, and compares the merged tables with
# those of one program. By hand, as root: needs the packages slurmctld, slurmd, slurm-client and munge, and installs
# nothing.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
cli=$(realpath "${1:-$root/build/app/touchstone-cli}")
study=${2:-dpf-over-under}
for program in slurmctld slurmd sbatch munged; do
  command -v "$program" >/dev/null || { echo "$program is missing; install slurmctld slurmd slurm-client munge" >&2; exit 3; }
done
[ "$(id -u)" = 0 ] || { echo "one_node_slurm.sh: must be root, since slurmd is" >&2; exit 3; }

work=$(mktemp -d)
chmod 711 "$work"
cleanup() {
  for name in slurmd slurmctld munged; do
    if [ -f "$work/$name.pid" ]; then kill "$(cat "$work/$name.pid")" 2>/dev/null || true; fi
  done
  sleep 1
  rm -rf "$work"
}
trap cleanup EXIT
mkdir -p "$work"/{state,spool,log}
# munged refuses folders that others could write to.
mkdir -m 755 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
munged --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munged.pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed"
cat >"$work/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$(hostname -s)(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0
MpiDefault=none
ReturnToService=2
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$work/slurm.conf"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
until sinfo -h -o %t 2>/dev/null | grep -q -E 'idle|mix'; do sleep 0.2; done

cat >"$work/job.sh" <<JOB
#!/bin/bash
#SBATCH --array=0-3 --output=$work/log/job-%a
"$cli" study "$study" --quick --jobs 1 --out "$work/parts"
JOB
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT
first=$(sbatch --parsable "$work/job.sh")
# The first job is killed as soon as it computes.
until [ -e "$work/parts/shard-1-of-4/runs.db" ]; do sleep 0.05; done
scancel --signal=KILL --full "${first}_0" || true
until [ -z "$(squeue -h)" ]; do sleep 0.2; done
echo "first pass:"
if "$cli" study merge "$study" --quick --out "$work/parts" 2>&1 | grep -E 'missing|runs$'; then :; fi
sbatch "$work/job.sh" >/dev/null
until [ -z "$(squeue -h)" ]; do sleep 0.2; done
echo "second pass:"
"$cli" study merge "$study" --quick --out "$work/parts" 2>&1 | grep -E 'missing|runs$' || true
"$cli" study "$study" --quick --jobs 1 --out "$work/alone" >/dev/null 2>&1
for table in runs.csv series.csv; do
  if [ -e "$work/alone/$table" ]; then cmp "$work/alone/$table" "$work/parts/$table" && echo "$table: the same bytes"; fi
done
