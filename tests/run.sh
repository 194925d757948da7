#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs every test on a display of its own. Arguments go to ctest, for
# example: tests/run.sh -R vector. Where CI is set warnings are errors; a newcomer's newer compiler may warn.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../app/setup.sh"
part packages install_missing_packages
preset=release
if [ -n "${CI:-}" ]; then preset=ci; fi
part build build "$preset"
cd "$here/../build"
export QT_QPA_PLATFORM=xcb LIBGL_ALWAYS_SOFTWARE=1
# Without -noreset the display restarts whenever its last client ends, and refuses who comes at that moment.
part tests xvfb-run -a -s "-screen 0 1920x1080x24 -noreset" ctest --output-on-failure --no-tests=error -j 2 "$@"
