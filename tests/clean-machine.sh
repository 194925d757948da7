#!/usr/bin/env bash
# Runs both README commands on an empty Debian: tests/clean-machine.sh 12|13 [FOLDER] (as root)
# Makes an empty Debian tree in FOLDER (a temporary folder, removed at the end, where none is named) from the mirror that
# this machine's apt reads, clones this checkout's last commit into it, and runs app/run.sh and tests/run.sh there with an
# empty HOME, no display and no nvcc. A FOLDER that holds such a tree already is used as it is, with a fresh clone.
# Prints the time of each part. Exit code: 0 both commands work, 1 one of them fails, 2 usage, 3 the tree cannot be made.
set -euo pipefail
checkout=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in
  12) release=bookworm ;;
  13) release=trixie ;;
  *) echo "clean-machine: the release is missing or unknown; say 12 or 13" >&2; exit 2 ;;
esac
[ "$(id -u)" = 0 ] || { echo "clean-machine: debootstrap and chroot need root; run it as root" >&2; exit 3; }
command -v debootstrap >/dev/null || { echo "clean-machine: debootstrap is missing; apt-get install debootstrap" >&2; exit 3; }
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' |
  awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }')
[ -n "$mirror" ] || { echo "clean-machine: apt names no Debian mirror; run apt-get update" >&2; exit 3; }

# All mounts are made in a name space of this script's own, so that they end with it.
if [ -z "${TS_CLEAN_MACHINE:-}" ]; then
  TS_CLEAN_MACHINE=1 exec unshare --mount "$0" "$@"
fi
folder=${2:-}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'umount -R "$folder/proc" "$folder/dev" 2>/dev/null; rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# timed NAME COMMAND…: runs the command and prints how long it took and whether it worked.
timed() {
  local name=$1 begin=$SECONDS code=0
  shift
  "$@" || code=$?
  printf 'clean-machine: Debian %s, %s: %s, %d min %02d s\n' "$release" "$name" \
    "$([ $code = 0 ] && echo ok || echo "exit $code")" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60))
  return $code
}

if [ ! -x "$folder/usr/bin/apt-get" ]; then
  timed "empty tree" debootstrap --variant=minbase "$release" "$folder" "$mirror" >"$folder.log" 2>&1 ||
    { tail -n 3 "$folder.log" >&2; exit 3; }
fi
cp -L /etc/resolv.conf /etc/hosts "$folder/etc/" 2>/dev/null || true
mount -t proc proc "$folder/proc"
mount --rbind /dev "$folder/dev"

# inside COMMAND: in the tree, with nothing of this machine's environment.
inside() {
  chroot "$folder" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/home/empty \
    LANG=C.UTF-8 bash -c "$1"
}
rm -rf --one-file-system "$folder/home/empty" "$folder/srv/touchstone" "$folder/srv/checkout"
mkdir -p "$folder/home/empty"
git clone --quiet --no-hardlinks "$checkout" "$folder/srv/touchstone"

failed=0
timed "app/run.sh" inside 'cd /srv/touchstone && app/run.sh && ls out && test -s out/screenshot.png' || failed=1
timed "tests/run.sh" inside 'cd /srv/touchstone && tests/run.sh' || failed=1
exit $failed
