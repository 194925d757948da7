#!/usr/bin/env bash
# Makes what is kept of a run of every scene in the gallery: make-gallery.sh FOLDER [touchstone-cli [touchstone]]
#   datasets/scene-claims.csv    every claim of a lesson, whether it holds, and its number
#   datasets/scene-extents.csv   where bodies go, for the test of cameras
#   datasets/thumbnails/*.png    pictures beside the scenes and in their lessons; pictures.csv lists them
#   app/screenshot.png           the picture of README.md
# All name the SHA-256 of the scene file, and a test fails where a scene has changed since. FOLDER keeps the runs and
# recordings: a second call runs only scenes that have changed, and makes all pictures again. Pictures need a display,
# or xvfb-run. A first call takes half an hour on two cores, a second one a few minutes.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,9s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
cli=${2:-touchstone-cli}
workbench=${3:-touchstone}
claims=$root/datasets/scene-claims.csv
extents=$root/datasets/scene-extents.csv
pictures=$root/datasets/thumbnails/pictures.csv

# Scenes whose frames take seconds run for so long [s]; their claims are about this time.
timeOf() {
  case $1 in
    humanoids) echo 1 ;;
    tori-on-cloth | bucket-of-forty) echo 0.3 ;;
    humanoids-400) echo 0.25 ;;
  esac
}

# Share of the run at which the picture is taken: when bodies touch and the scene can be seen.
shareOf() {
  case $1 in
    particle) echo 0.0145 ;;
    zeno) echo 0.1 ;;
    soft-block | cantilever) echo 0.045 ;;
    octopus-bowl) echo 0.083 ;;
    hanging-sheet) echo 0.1 ;;
    thin-wall | corner-trap) echo 0.15 ;;
    hands | thin-plate) echo 0.22 ;;
    bounce) echo 0.325 ;;
    rocking) echo 0.35 ;;
    crossed-edges | humanoid) echo 0.3 ;;
    stick) echo 0.4 ;;
    corner | drawer | stick-slip | humanoids) echo 0.7 ;;
    oblique) echo 0.9 ;;
    drag | ladder | tipping | humanoids-400 | tori-on-cloth | bucket-of-forty) echo 0.95 ;;
    *) echo 0.5 ;;
  esac
}

hashOf() { sha256sum "$1" | cut -d ' ' -f 1; }

onDisplay() {
  if [ -n "${DISPLAY:-}" ]; then "$@"; else
    xvfb-run -a -s "-screen 0 1920x1080x24 -noreset" env LIBGL_ALWAYS_SOFTWARE=1 QT_QPA_PLATFORM=xcb "$@"
  fi
}

# small FROM TO WIDTH COLOURS [LOWEST]: a picture without its LOWEST rows, in its shape, scaled to a width, with a palette.
small() {
  ffmpeg -loglevel error -y -i "$1" -vf "crop=iw*(ih-${5:-0})/ih:ih-${5:-0}:(iw-ow)/2:0,scale=$3:-1:flags=area,split[a][b];[a]palettegen=max_colors=$4:reserve_transparent=0[p];[b][p]paletteuse=dither=none" \
    -pred none -compression_level 100 "$2"
}

failed=0
echo "scene,sha256,state,claim" >"$claims.part"
echo "scene,sha256,span,thrown,x_m,y_m,z_m" >"$extents.part"
echo "picture,scene,sha256,time_s" >"$pictures.part"
for file in "$root"/datasets/scenes/*.json "$root"/datasets/battery/scenes/*.json; do
  name=$(basename "$file" .json)
  hash=$(hashOf "$file")
  run=$folder/$name
  if [ "$(cat "$run.sha256" 2>/dev/null || true)" != "$hash" ]; then
    begin=$SECONDS
    time=$(timeOf "$name")
    rm -f "$run.sha256"
    # A pane that stops ends with exit code 1; its claims say what that means.
    code=0
    nice "$cli" run "$file" ${time:+--time "$time"} --extents --out "$run" --record "$run.touchstone" --force \
      >"$run.log" 2>&1 || code=$?
    [ $code -le 1 ] || { tail -n 5 "$run.log" >&2; exit $code; }
    echo "$hash" >"$run.sha256"
    echo "$name: exit $code, $((SECONDS - begin)) s"
  fi
  awk -v scene="$name" -v hash="$hash" '
    /^Claims of the scene$/ { within = 1; next }
    within && /^  / {
      state = substr($0, 3, 9); sub(/ +$/, "", state)
      claim = substr($0, 12); gsub(/"/, "\"\"", claim)
      print scene "," hash "," state ",\"" claim "\""
    }' "$run/summary.txt" >>"$claims.part"
  tail -n +2 "$run/extents.csv" | sed "s/^/$name,$hash,/" >>"$extents.part"
done
if grep -v ',holds,' "$claims.part" | tail -n +2 | grep .; then failed=1; fi
mv "$claims.part" "$claims"
mv "$extents.part" "$extents"

for file in "$root"/datasets/scenes/*.json "$root"/datasets/battery/scenes/*.json; do
  name=$(basename "$file" .json)
  last=$(awk -F, 'END { print $1 }' "$folder/$name/quantities.csv")
  time=$(awk -v last="$last" -v share="$(shareOf "$name")" 'BEGIN { printf "%.3g", last * share }')
  source=$folder/$name.touchstone
  # Its recording takes minutes to open, and its run to the grip takes seconds.
  [ "$name" != tomato-scale ] || { source=$file; time=0.4; }
  rm -f "$folder/view.png"
  onDisplay nice "$workbench" "$source" --time "$time" --view "$folder/view.png" >"$folder/view.log" 2>&1 ||
    { tail -n 5 "$folder/view.log" >&2; exit 1; }
  # Without the legend, whose texts nobody can read at this size.
  small "$folder/view.png" "$root/datasets/thumbnails/$name.png" 192 64 74
  echo "$name.png,$name,$(hashOf "$file"),$time" >>"$pictures.part"
done
rm -f "$folder/screenshot.png"
onDisplay nice "$workbench" pour --time 4 --size 1500x900 --screenshot "$folder/screenshot.png" >"$folder/view.log" 2>&1 ||
  { tail -n 5 "$folder/view.log" >&2; exit 1; }
small "$folder/screenshot.png" "$root/app/screenshot.png" 1500 128
echo "../../app/screenshot.png,pour,$(hashOf "$root/datasets/scenes/pour.json"),4" >>"$pictures.part"
mv "$pictures.part" "$pictures"
exit $failed
