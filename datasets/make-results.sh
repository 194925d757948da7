#!/usr/bin/env bash
# Makes again what this version measured and shows: datasets/make-results.sh [FOLDER] [touchstone-cli]
#   battery/expected.csv, battery/expected-published.csv      the card, with both settings, without processor times
#   battery/expected-ENGINE.csv                               that of each engine of others that this build has
#   README.md, app/help/conformance.md                        its tables
#   claim-results.json, app/help/published-figures.md, app/help/figures   studies in their quick form, and claims
# FOLDER (out/results) keeps the runs: unchanged runs of an earlier call are taken over. Prints the time of each part.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/out/results}
cli=${2:-$root/build/app/touchstone-cli}
[ -x "$cli" ] || { echo "make-results: $cli is missing; app/run.sh builds it" >&2; exit 2; }
mkdir -p "$folder"

# timed NAME COMMAND…: runs the command and prints its time. Code 1, something deviates, is a result.
timed() {
  local name=$1 begin=$SECONDS code=0
  shift
  "$@" >"$folder/$name.log" 2>&1 || code=$?
  printf '%s: exit %d, %d s\n' "$name" $code $((SECONDS - begin))
  [ $code -le 1 ] || { tail -n 5 "$folder/$name.log" >&2; exit $code; }
}

# tableOf CARD.TXT [PUBLISHED.TXT]: the card as Markdown. Of one card numbers, with columns of methods and their heads.
# Of two cards signs, with columns of phenomena: that of the first, and where the second differs, that of both.
tableOf() {
  awk -v form="$([ $# -eq 1 ] && echo numbers || echo signs)" '
    FNR == 1 { card++; begun = ended = rows = 0 }
    /^phenomenon  / { begun = 1 }
    begun && /^$/ { ended = 1 }
    !begun || ended { next }
    {
      fields = split($0, cell, /  +/)
      if (cell[fields] == "") fields--
      isHead = rows > 0 && cell[1] !~ /^[0-9]/
      if (form == "signs" && isHead) next
      if (rows == 0) for (c = 2; c <= fields; c++) column[c] = cell[c]
      else {
        name[rows] = cell[1]
        for (c = 2; c <= fields; c++) {
          split(cell[c], word, " ")
          if (card == 1) value[rows, c] = form == "signs" ? word[1] : cell[c]
          else if (value[rows, c] != word[1]) value[rows, c] = value[rows, c] word[1]
        }
      }
      rows++; columns = fields
    }
    END {
      if (form == "numbers") {
        head = "| |"; rule = "|---|"
        for (c = 2; c <= columns; c++) { head = head " " column[c] " |"; rule = rule "---|" }
        print head; print rule
        for (r = 1; r < rows; r++) {
          text = "| " name[r] " |"
          for (c = 2; c <= columns; c++) text = text " " value[r, c] " |"
          print text
        }
      } else {
        head = "| |"; rule = "|---|"
        for (r = 1; r < rows; r++) { split(name[r], word, " "); head = head word[1] "|"; rule = rule "-|" }
        print head; print rule
        for (c = 2; c <= columns; c++) {
          text = "| " column[c] " |"
          for (r = 1; r < rows; r++) text = text value[r, c] "|"
          print text
        }
      }
    }' "$@" | sed 's/lcp-lemke:friction_facets=4/lcp, 4 facets/; s/lcp:push_out=published/lcp, published/; s/peg:step=exact/peg, exact/'
}

# replaceTable PAGE TABLE: puts the table in the place of the page's first table whose corner is empty.
replaceTable() {
  awk -v table="$2" '
    !done && /^\| \|/ { while ((getline text < table) > 0) print text; skipping = 1; done = 1 }
    skipping && /^\|/ { next }
    { skipping = 0; print }' "$1" >"$1.part"
  mv "$1.part" "$1"
}

# withoutTimes CARD.CSV: without the last cells, the processor times, which differ from run to run.
withoutTimes() {
  grep -m 1 -v '^#' "$1" | grep -q ',processor$' || { echo "make-results: $1 does not end with processor times" >&2; exit 2; }
  sed '/^#/!s/,[^,]*$//' "$1"
}

card_begin=$SECONDS
timed card "$cli" conform --out "$folder/card" --force --jobs 2
for engine in bullet ode mujoco; do
  if "$cli" list | grep "^ *$engine " >/dev/null; then  # -q would end the list with a signal
    timed "card-$engine" "$cli" conform --methods $engine --out "$folder/card-$engine" --force --jobs 2
    withoutTimes "$folder/card-$engine/card.csv" >"$root/datasets/battery/expected-$engine.csv"
  else
    echo "card-$engine: this build has no such engine; battery/expected-$engine.csv stays"
  fi
done
echo "all columns and engines: $((SECONDS - card_begin)) s"
timed card-published "$cli" conform --settings published --out "$folder/card-published" --force --jobs 2
withoutTimes "$folder/card/card.csv" >"$root/datasets/battery/expected.csv"
withoutTimes "$folder/card-published/card.csv" >"$root/datasets/battery/expected-published.csv"
tableOf "$folder/card/card.txt" "$folder/card-published/card.txt" >"$folder/signs.md"
tableOf "$folder/card/card.txt" >"$folder/numbers.md"
replaceTable "$root/README.md" "$folder/signs.md"
replaceTable "$root/app/help/conformance.md" "$folder/numbers.md"

timed studies "$cli" study --all --quick --out "$folder/studies" --resume --jobs 2
timed figures "$root/app/help/make-published-figures.sh" "$folder/studies" "$cli"
