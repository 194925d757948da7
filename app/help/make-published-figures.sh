#!/usr/bin/env bash
# Makes the guide's page Published figures and the shipped results of claims from a folder of `touchstone-cli study
# --all --out FOLDER`: make-published-figures.sh FOLDER [touchstone-cli]. Pictures are scaled for the screen.
set -euo pipefail
folder=$1
cli=${2:-touchstone-cli}
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$here/figures"
cp "$folder/report.md" "$here/published-figures.md"
{
  echo '<RCC>'
  echo '  <qresource prefix="/help">'
  for picture in "$folder"/*/*.png; do
    name=$(basename "$(dirname "$picture")")/$(basename "$picture")
    mkdir -p "$here/figures/$(dirname "$name")"
    ffmpeg -loglevel error -y -i "$picture" -vf \
      "scale=760:-1:flags=area,split[a][b];[a]palettegen=max_colors=48:reserve_transparent=0[p];[b][p]paletteuse=dither=none" -pred none -compression_level 100 \
      "$here/figures/$name"
    echo "    <file>figures/$name</file>"
  done
  echo '  </qresource>'
  echo '</RCC>'
} >"$here/figures.qrc"
"$cli" claims --from "$folder" --write "$here/../../datasets/claim-results.json" --force >/dev/null || true
