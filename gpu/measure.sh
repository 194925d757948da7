#!/usr/bin/env bash
# Runs on the device of this machine what gpu/RESULTS.md wants to know, and writes it as Markdown, ready to be pasted there:
#   gpu/measure.sh [--out FILE] [--program PROGRAM] [--limit SECONDS] [PART …]
# FILE: measured.md; PROGRAM: build/app/touchstone-cli, or one that was built elsewhere; SECONDS: of each part, 600.
# Parts, all unless some are named, in this order, what tells most first:
#   quick      verify on three scenes
#   pairs pile worlds pcr sets overlaps wall   benchmarks of both backends
#   verify     on all scenes
#   memcheck racecheck synccheck initcheck     compute-sanitizer over four small scenes
# Each part is in the file as soon as it is done; a file that is there already is continued.
# Exit code: 0 done, 1 something failed or took too long, 2 usage, 3 no device.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
benchmarks="pairs pile worlds pcr sets overlaps wall"
sanitizers="memcheck racecheck synccheck initcheck"
known=" quick $benchmarks verify $sanitizers "
out=measured.md program=$root/build/app/touchstone-cli limit=600 parts=()
while [ $# -gt 0 ]; do
  case $1 in
    --out | --program | --limit)
      [ $# -gt 1 ] || { echo "measure: $1 wants a value" >&2; exit 2; }
      printf -v "${1#--}" %s "$2"
      shift ;;
    *)
      [[ $1 != *" "* && $known == *" $1 "* ]] || { echo "measure: there is no part '$1'; choose from$known" >&2; exit 2; }
      parts+=("$1") ;;
  esac
  shift
done
[ ${#parts[@]} -gt 0 ] || read -ra parts <<<"$known"
[ -x "$program" ] || { echo "measure: $program is missing; app/run.sh or tests/run.sh build it" >&2; exit 2; }
export TOUCHSTONE_DATASETS=${TOUCHSTONE_DATASETS:-$root/datasets}
# Without a device, or a library, this names the reason.
"$program" bench sets --backend cuda >/dev/null || { echo "measure: the device cannot be used" >&2; exit 3; }
failed=0

# part TITLE COMMAND…: runs the command and writes what it prints.
part() {
  local title=$1 code=0
  shift
  echo "$title …" >&2
  printf '## %s\n\n```\n$ %s\n' "$title" "${*/#$program/touchstone-cli}" >>"$out"
  timeout -k 10 "$limit" "$@" >>"$out" 2>&1 || { code=$? failed=1; }
  printf '```\n\nexit code %d%s, %s\n\n' "$code" "$([ $code != 124 ] || echo " (longer than $limit s)")" "$(date -u '+%F %H:%M UTC')" >>"$out"
}

if [ ! -s "$out" ]; then
  printf '# Measured %s\n\n' "$(date -u +%F)" >"$out" || exit 2
  if command -v nvidia-smi >/dev/null; then
    part "Device" nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.memory --format=csv
  fi
fi
verify=("$program" verify --backend cuda)
# Hundreds of times slower there: small scenes of every kind of contact.
small=(--scenes particle,resting-box,corner-trap,incline)
for name in "${parts[@]}"; do
  if [ "$name" = quick ]; then
    part "CUDA against CPU, three scenes" "${verify[@]}" --scenes particle,resting-box,incline
  elif [ "$name" = verify ]; then
    part "CUDA against CPU" "${verify[@]}"
  elif [[ " $benchmarks " == *" $name "* ]]; then
    part "Benchmark: $name" "$program" bench "$name" --backend cpu,cuda
  elif ! command -v compute-sanitizer >/dev/null; then
    printf 'compute-sanitizer was not found: add it to PATH (CUDA Toolkit).\n\n' >>"$out"
    failed=1
  elif [ "$name" = initcheck ]; then
    # Told, not judged: it also names the padding of structures, and copies of a list with all its room, of which nobody reads the rest.
    part "compute-sanitizer: initcheck" compute-sanitizer --tool initcheck "${verify[@]}" "${small[@]}"
  else
    part "compute-sanitizer: $name" compute-sanitizer --tool "$name" --error-exitcode 1 "${verify[@]}" "${small[@]}"
  fi
done
echo "$out" >&2
exit $failed
