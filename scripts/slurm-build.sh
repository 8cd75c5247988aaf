#!/usr/bin/env bash
# An example job for Slurm: builds awari tables on four nodes, one rank a node, all its cores as threads.
#
#   sbatch scripts/slurm-build.sh 28 /shared/tables
#
# All nodes must see the folder of the tables. Change the lines below to suit your cluster: nodes, cores, time, and how
# abapa is found. A rank that fails ends the job; the next one goes on from the finished tiers.
#SBATCH --job-name=abapa
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --mem=0
#SBATCH --time=12:00:00
set -euo pipefail
seeds=${1:?"usage: sbatch slurm-build.sh SEEDS TABLES"}
tables=${2:?"usage: sbatch slurm-build.sh SEEDS TABLES"}

# source /shared/abapa/.venv/bin/activate
# module load mpi        # mpi4py takes the MPI that it finds at run time

# Compiles most kernels once, for all ranks that share the cache folder (ABAPA_CACHE).
first=$(mktemp -d)
abapa build --rules awari --seeds 8 --tables "$first" >/dev/null
rm -rf "$first"

srun --kill-on-bad-exit=1 \
  abapa build --rules awari --seeds "$seeds" --tables "$tables" \
  --engine mpi --threads "${SLURM_CPUS_PER_TASK:-1}" --scratch "${TMPDIR:-/tmp}"
