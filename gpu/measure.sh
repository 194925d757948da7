#!/usr/bin/env bash
# Runs on the device of this machine what gpu/RESULTS.md wants to know, and writes it as Markdown, ready to be pasted there:
#   gpu/measure.sh [FILE] [PROGRAM]     (measured.md; build/app/touchstone-cli)
# Each part is in the file as soon as it is done. Exit code: 0 done, 1 something failed, 3 no device.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-measured.md}
program=${2:-$root/build/app/touchstone-cli}
[ -x "$program" ] || { echo "measure: $program is missing; app/run.sh or tests/run.sh build it" >&2; exit 3; }
# One frame: without a device this names the reason.
"$program" run particle --methods dpf --time 0.001 --backend cuda >/dev/null || [ $? != 3 ] || exit 3
failed=0

# part TITLE COMMAND…: runs the command and writes what it prints.
part() {
  local title=$1 code=0
  shift
  echo "$title …" >&2
  printf '## %s\n\n```\n$ %s\n' "$title" "${*/#$program/touchstone-cli}" >>"$out"
  "$@" >>"$out" 2>&1 || { code=$? failed=1; }
  printf '```\n\nexit code %d, %s\n\n' "$code" "$(date -u '+%F %H:%M UTC')" >>"$out"
}

printf '# Measured %s\n\n' "$(date -u +%F)" >"$out"
if command -v nvidia-smi >/dev/null; then
  part "Device" nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.memory --format=csv
fi
part "CUDA against CPU" "$program" verify --backend cuda
for what in pairs pile worlds sets overlaps pcr; do
  part "Benchmark: $what" "$program" bench "$what" --backend cpu,cuda
done
# Hundreds of times slower: small scenes of every kind of contact.
scenes=particle,resting-box,corner-trap,incline
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck; do
    part "compute-sanitizer: $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 "$program" verify --backend cuda --scenes "$scenes"
  done
  # Told, not judged: it also names the padding of structures, and copies of a list with all its room, of which nobody reads the rest.
  part "compute-sanitizer: initcheck" compute-sanitizer --tool initcheck "$program" verify --backend cuda --scenes "$scenes"
else
  printf 'compute-sanitizer was not found: add it to PATH (CUDA Toolkit).\n' >>"$out"
fi
echo "$out" >&2
exit $failed
