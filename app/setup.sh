#!/usr/bin/env bash
# Installs what is missing of packages.txt. Sourced by app/run.sh and tests/run.sh; does nothing where all is there.
set -euo pipefail
setup_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

missing_packages() {
  grep -v '^#' "$setup_root/app/packages.txt" | tr ' ' '\n' | grep -v '^$' | while read -r package; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || echo "$package"
  done
}

# install_packages PACKAGE…: as root, or by sudo.
install_packages() {
  echo "Installing: $*"
  local sudo=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup: these packages are missing: $*; install them as root" >&2; exit 3; }
    sudo=sudo
  fi
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install_missing_packages() {
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} = 0 ] || install_packages "${missing[@]}"
}

# The sources have the format of clang-format 14; other versions break lines elsewhere. Without it that test is skipped.
install_formatter() {
  command -v clang-format-14 >/dev/null || (install_packages clang-format-14) ||
    echo "setup: there is no package clang-format-14; the format is not checked"
}

# part NAME COMMAND…: runs a part of the set-up and says how long it took.
part() {
  local name=$1 begin=$SECONDS code=0
  shift
  "$@" || code=$?
  printf -- '-- %s: %d min %02d s\n' "$name" $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60))
  return $code
}

# Adds the CUDA Toolkit to the path where it is installed but not on it.
find_toolkit() {
  if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then PATH=$PATH:/usr/local/cuda/bin; fi
}

# The architectures of the GPUs of this machine that nvcc knows, as CMake takes them ("86;90"); empty: none.
own_architectures() {
  command -v nvcc >/dev/null && command -v nvidia-smi >/dev/null || return 0
  local known own
  known=$(nvcc --list-gpu-arch 2>/dev/null) || return 0
  own=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u) || return 0
  for each in $own; do
    if grep -qx "compute_$each" <<<"$known"; then echo "$each"; fi
  done | paste -sd ';'
}

# build PRESET [TARGET…]: configures once, then builds. Device code takes nvcc most of a first build's time, so it is
# compiled for the GPUs of this machine only, and not at all where there is none; TS_CUDA=ON asks for all kinds.
build() {
  local preset=$1
  shift
  find_toolkit
  local device=(-DTS_CUDA=OFF) own
  own=$(own_architectures)
  if [ -n "$own" ]; then
    device=(-DTS_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$own")
  elif [ "${TS_CUDA:-}" = ON ]; then
    device=(-DTS_CUDA=ON)
  elif command -v nvcc >/dev/null; then
    echo "setup: nvcc is here and no GPU is: building for the CPU only; TS_CUDA=ON $0 compiles device code"
  fi
  (cd "$setup_root" && cmake --preset "$preset" "${device[@]}" >build-configure.log) ||
    { echo "setup: cmake could not configure; the lines above say why" >&2; exit 3; }
  (cd "$setup_root" && cmake --build --preset "$preset" "$@")
}
