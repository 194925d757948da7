#!/usr/bin/env bash
# Installs what is missing, builds, and opens the workbench on the demo scene; arguments go to the workbench.
# Without a display the same demo is rendered into out/: screenshot, movie, plots, data.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/setup.sh"
install_missing_packages
build release --target touchstone touchstone-cli
root=$(cd "$here/.." && pwd)
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
  exec "$root/build/app/touchstone" "$@"
fi
echo "No display: rendering the demo into $root/out"
exec xvfb-run -a -s "-screen 0 1920x1080x24" "$root/build/app/touchstone" --offscreen-demo "$root/out" "$@"
