#!/bin/sh
# Measures, compares with a base, holds figures against a budget, and writes what boards and people read.
#
#   RUN_OPTIONS  of roofline run (default: --suite quick --repeat 5)
#   BASE         report of the branch that is merged into; none, or not there: nothing is compared, and said so
#   BUDGET       file of assertions (roofline check); none: nothing is asserted
#   THRESHOLD    what a change must exceed (default: 3%)
#   OUT          folder of everything that is written (default: roofline-out)
#
# Status: 0 good; 1 a point failed, is wrong, impossible, missing or slower, or an assertion failed; 5 nothing can be said
# (a disturbed machine, a base of another one); others as roofline gave them. $OUT/base.json is there where the report may
# become a base: nothing in it failed or is wrong, and the machine was not so disturbed that nothing can be said. Slower
# than the last base is no hindrance: on the default branch that has been accepted.
set -eu
out=${OUT:-roofline-out}
mkdir -p "$out"
report=$out/report.json
# What an earlier run left is not published as this one's.
for name in report.json base.json table.txt summary.md junit.xml metrics.txt roofline.html comparison.md budget.txt; do
  rm -f "$out/$name"
done
worst=0

# keep <status>: 1 says most, then what went wrong otherwise, then 5.
keep() {
  case $1 in
    0) ;;
    1) worst=1 ;;
    5) [ "$worst" -ne 0 ] || worst=5 ;;
    *) [ "$worst" -eq 1 ] || worst=$1 ;;
  esac
}

# shellcheck disable=SC2086 # options are words
roofline run ${RUN_OPTIONS:---suite quick --repeat 5} --strict -o "$report" >"$out/table.txt" || keep $?
[ -e "$report" ] || exit "$worst"
[ "$worst" -ne 0 ] || cp "$report" "$out/base.json"

roofline export "$report" --to step-summary -o "$out/summary.md" || keep $?
roofline export "$report" --to junit -o "$out/junit.xml" || keep $?
roofline export "$report" --to openmetrics -o "$out/metrics.txt" || keep $?
roofline plot "$report" -o "$out/roofline.html" || keep $?

if [ -n "${BASE:-}" ] && [ -e "$BASE" ]; then
  roofline compare "$BASE" "$report" --threshold "${THRESHOLD:-3%}" --fail-on broken,slower,missing \
    --format markdown -o "$out/comparison.md" || {
    status=$?
    keep "$status"
    # Comparable, and nothing to be said: the older base is the better one. One of another machine is replaced.
    if [ "$status" -eq 5 ] && [ -e "$out/comparison.md" ]; then rm -f "$out/base.json"; fi
  }
else
  echo "roofline-gate: no base report${BASE:+ at $BASE}: nothing compared" | tee "$out/comparison.md" >&2
fi
if [ -n "${BUDGET:-}" ]; then
  checked=0
  roofline check "$report" --assert-file "$BUDGET" >"$out/budget.txt" 2>"$out/budget.err" || checked=$?
  keep "$checked"
  # A budget that cannot be read has its mistake on stderr and nothing else.
  cat "$out/budget.err" >>"$out/budget.txt"
  rm -f "$out/budget.err"
  [ "$checked" -eq 0 ] || cat "$out/budget.txt" >&2
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  for part in "$out/comparison.md" "$out/summary.md"; do
    [ ! -e "$part" ] || cat "$part" >>"$GITHUB_STEP_SUMMARY"
  done
  if [ -s "$out/budget.txt" ]; then
    { echo '```text'; cat "$out/budget.txt"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
  fi
fi
exit "$worst"
