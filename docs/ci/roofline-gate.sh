#!/bin/sh
# Measures, compares with a base, holds figures against a budget, and writes what boards and people read.
#
#   RUN_OPTIONS  of roofline run (default: --suite quick --repeat 5)
#   BASE         report of the branch that is merged into; none, or not there: nothing is compared
#   BUDGET       file of assertions (roofline check); none: nothing is asserted
#   THRESHOLD    what a change must exceed (default: 3%)
#   OUT          folder of everything that is written (default: roofline-out)
#
# Status: 0 good; 1 slower, or an assertion failed; 5 nothing can be said (a disturbed machine, a base of another one);
# others as roofline gave them.
set -eu
out=${OUT:-roofline-out}
mkdir -p "$out"
report=$out/report.json
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
roofline run ${RUN_OPTIONS:---suite quick --repeat 5} -o "$report" >"$out/table.txt" || keep $?
[ -e "$report" ] || exit "$worst"

roofline export "$report" --to step-summary -o "$out/summary.md" || keep $?
roofline export "$report" --to junit -o "$out/junit.xml" || keep $?
roofline export "$report" --to openmetrics -o "$out/metrics.txt" || keep $?
roofline plot "$report" -o "$out/roofline.html" || keep $?

if [ -n "${BASE:-}" ] && [ -e "$BASE" ]; then
  roofline compare "$BASE" "$report" --threshold "${THRESHOLD:-3%}" --fail-on slower,missing \
    --format markdown -o "$out/comparison.md" || keep $?
fi
if [ -n "${BUDGET:-}" ]; then
  roofline check "$report" --assert-file "$BUDGET" >"$out/budget.txt" || keep $?
fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  for part in "$out/comparison.md" "$out/summary.md"; do
    [ ! -e "$part" ] || cat "$part" >>"$GITHUB_STEP_SUMMARY"
  done
fi
exit "$worst"
