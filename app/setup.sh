#!/usr/bin/env bash
# Installs what is missing of packages.txt. Sourced by app/run.sh and tests/run.sh; does nothing where all is there.
set -euo pipefail
setup_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

missing_packages() {
  grep -v '^#' "$setup_root/app/packages.txt" | tr ' ' '\n' | grep -v '^$' | while read -r package; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

install_missing_packages() {
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  [ -n "${missing// /}" ] || return 0
  echo "Installing: $missing"
  local sudo=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup: these packages are missing: $missing; install them as root" >&2; exit 3; }
    sudo=sudo
  fi
  $sudo apt-get update -qq
  # shellcheck disable=SC2086 # a list of names
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# build PRESET [TARGET…]: configures once, then builds.
build() {
  local preset=$1
  shift
  # A toolkit that is installed but not on the path is found where its installer puts it.
  if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then PATH=$PATH:/usr/local/cuda/bin; fi
  (cd "$setup_root" && cmake --preset "$preset" >build-configure.log) ||
    { echo "setup: cmake could not configure; the lines above say why" >&2; exit 3; }
  (cd "$setup_root" && cmake --build --preset "$preset" "$@")
}
