#!/bin/sh
# scripts/gpu-check without a GPU: over made-up programs that are slow or fail, or (`whole`) over the fake driver with the
# programs as they are.   tests/device/gpu_check_test.sh <repository> <build folder> script|whole
set -eu
repository=$1
build=$2
kind=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

failures=0
fail() {
  failures=$((failures + 1))
  printf 'FAILED %s: %s\n--- status %s\n--- stdout\n%s\n--- stderr\n%s\n' \
    "$what" "$1" "$status" "$(cat "$work/out")" "$(cat "$work/err")"
}
expect_status() { [ "$status" = "$1" ] || fail "expected status $1"; }
expect_err() { grep -q -e "$1" "$work/err" || fail "stderr lacks: $1"; }
expect_in() { grep -q -e "$2" "$1" || fail "$1 lacks: $2"; }
expect_not_in() { if grep -q -e "$2" "$1"; then fail "$1 has: $2"; fi; }
check() {
  status=0
  "$repository/scripts/gpu-check" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}

# ---- made-up programs -----------------------------------------------------------------------------------------------

# program <name>: the rest of the script on stdin.
program() {
  { echo '#!/bin/sh'; cat; } >"$stage/bin/$1"
  chmod +x "$stage/bin/$1"
}
new_stage() {
  stage="$work/a stage"
  rm -rf "$stage" "$work/result"
  mkdir -p "$stage/bin"
  program roofline <<'STUB'
case $1 in
  --version) echo 'roofline 0.0.0' ;;
  devices) echo '{"id": "cuda:0", "name": "FAKE card", "uuid": "GPU-01234567-89ab-cdef-0123-456789abcdef"}' ;;
  *)
    for word; do [ "${take-}" != yes ] || echo "report of $1" >"$word"; [ "$word" = -o ] && take=yes || take=no; done
    ;;
esac
STUB
  program roofline-selftest <<'STUB'
echo 'roofline-selftest: 2 kernels; all right' >&2
STUB
  program roofline-gpu-table <<'STUB'
echo "the table of $*"
STUB
}

# What else a machine with a GPU may have, found on PATH.
tool() {
  mkdir -p "$stage/tools"
  { echo '#!/bin/sh'; cat; } >"$stage/tools/$1"
  chmod +x "$stage/tools/$1"
}
with_tools() {
  before=$PATH
  PATH="$stage/tools:$PATH"
  check "$@"
  PATH=$before
}
# real_device: one that does not call itself made up, so that nothing is left out.
real_device() { sed 's/FAKE card/NVIDIA card/' "$stage/bin/roofline" >"$stage/part" && cat "$stage/part" >"$stage/bin/roofline"; }

test_script() {
  what='everything goes well'
  new_stage
  check --quick --build "$stage" -o "$work/result"
  expect_status 0
  expect_in "$work/out" "^$work/result$"
  expect_in "$work/result/summary.md" 'all right'
  expect_in "$work/result/summary.md" '| bandwidth | ok'
  expect_in "$work/result/summary.md" '| torch | left out: this GPU is made up'
  expect_in "$work/result/summary.md" 'bandwidth.json matvec-fp16.json matvec-rows.json launch.json gemm-types.json gemm-best.json gemm-roofs.json$'
  expect_not_in "$work/result/devices.json" 01234567-89ab
  expect_in "$work/result/devices.json" 'GPU-sha256-[0-9a-f]\{16\}"'

  what='a folder with files is not written to'
  check --quick --build "$stage" -o "$work/result"
  expect_status 2
  expect_err 'has files already'

  what='a kernel that is wrong'
  new_stage
  program roofline-selftest <<'STUB'
echo 'roofline-selftest: 2 kernels; 1 kernels are not' >&2
exit 1
STUB
  check --quick --build "$stage" -o "$work/result"
  expect_status 1
  expect_err 'kernels are not right'
  expect_in "$work/result/summary.md" '| selftest | FAILED: exit status 1'
  expect_in "$work/result/summary.md" '| launch | ok'

  what='a step that fails is listed, and the others go on'
  new_stage
  program roofline <<'STUB'
case $1 in
  --version) echo 'roofline 0.0.0' ;;
  devices) echo '{"id": "cuda:0", "name": "FAKE card"}' ;;
  matvec) echo 'roofline: out of memory' >&2; exit 5 ;;
esac
STUB
  check --quick --build "$stage" -o "$work/result"
  expect_status 1
  expect_err 'failed: matvec-fp16 matvec-rows$'
  expect_in "$work/result/summary.md" '| matvec-fp16 | FAILED: exit status 5 .*: roofline: out of memory'
  expect_in "$work/result/summary.md" '| launch | ok'

  what='a step that hangs is stopped at its limit'
  new_stage
  program roofline-selftest <<'STUB'
exec sleep 60
STUB
  begin=$(date +%s)
  GPU_CHECK_TOTAL_S=10 check --quick --build "$stage" -o "$work/result"
  expect_status 1
  expect_in "$work/result/summary.md" '| selftest | FAILED: stopped after'
  expect_in "$work/result/summary.md" '| launch | FAILED: no time was left'
  [ $(($(date +%s) - begin)) -lt 20 ] || fail 'it overran its time'

  what='PyTorch and compute-sanitizer'
  new_stage
  real_device
  tool python3 <<'STUB'
echo 'point,value,unit,how'
STUB
  tool compute-sanitizer <<'STUB'
echo "$*" >"$4.tool"
STUB
  with_tools --build "$stage" -o "$work/result"
  expect_status 0
  expect_in "$work/result/summary.md" '| torch | ok'
  expect_in "$work/result/summary.md" '| memcheck | ok'
  expect_in "$work/result/summary.md" '| racecheck | ok'
  expect_in "$work/result/summary.md" '| suite | ok'
  expect_in "$work/result/summary.md" '--peer torch.csv bandwidth.json'

  what='no PyTorch, and an access that memcheck does not like'
  new_stage
  real_device
  tool python3 <<'STUB'
echo 'python3 has no PyTorch' >&2
exit 3
STUB
  tool compute-sanitizer <<'STUB'
echo 'ERROR SUMMARY: 1 error' >&2
exit 9
STUB
  with_tools --quick --build "$stage" -o "$work/result"
  expect_status 1
  expect_err 'failed: memcheck$'
  expect_in "$work/result/summary.md" '| torch | left out after . s: python3 has no PyTorch'
  expect_in "$work/result/summary.md" '| memcheck | FAILED: exit status 9'
  expect_in "$work/result/summary.md" '| racecheck | left out: only without --quick'
  expect_not_in "$work/result/summary.md" '--peer'

  what='no time for the sanitizer'
  tool compute-sanitizer <<'STUB'
exec sleep 60
STUB
  rm -r "$work/result"
  GPU_CHECK_TOTAL_S=9 with_tools --quick --build "$stage" -o "$work/result"
  expect_status 0
  expect_in "$work/result/summary.md" '| memcheck | left out after'

  what='no GPU'
  new_stage
  program roofline <<'STUB'
echo 'roofline: no driver is here' >&2
exit 3
STUB
  check --quick --build "$stage" -o "$work/result"
  expect_status 3
  expect_err 'no driver is here'

  what='a build without the helpers'
  new_stage
  rm "$stage/bin/roofline-selftest"
  check --quick --build "$stage" -o "$work/result"
  expect_status 2
  expect_err 'roofline-selftest is not beside'

  what='an option that is not known'
  check --fast
  expect_status 2
  expect_err "'--fast' is not known"
}

# ---- the programs themselves over the fake driver -------------------------------------------------------------------

# Memories small enough that results are computed in no time; rates are those of the card.
scenario() {
  cat >"$work/scenario"
  export FAKEGPU="$work/scenario"
}

# shellcheck disable=SC2016 # the backticks of Markdown
test_whole() {
  export LD_LIBRARY_PATH="$build/fakegpu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

  what='a made-up A100'
  rm -rf "$work/result"
  scenario <<'SCENARIO'
device a100-80gb memory=32MiB l2=2MiB
host real
SCENARIO
  check --quick --build "$build" -o "$work/result"
  expect_status 0
  expect_in "$work/result/summary.md" 'FAKE NVIDIA A100.*all right'
  expect_in "$work/result/summary.md" 'made up by the tests'
  expect_in "$work/result/summary.md" 'stream/fp64/triad.*1.79 TB/s'
  expect_in "$work/result/selftest.json" '"attributes": {'
  expect_in "$work/result/selftest.json" '"step_s": [0-9]'
  expect_in "$work/result/selftest.json" '"name": "stream_triad_fp32_u8_cs"'
  expect_in "$work/result/bandwidth.json" '"samples"'
  expect_in "$work/result/launch.json" '"launch/graph"'
  expect_in "$work/result/summary.md" '| `gemm/tf32/64x64x64` | [0-9.]* [GT]FLOP/s'
  expect_in "$work/result/summary.md" '| `gemm/int8/64x64x64` | [0-9.]* [GT]'
  expect_in "$work/result/summary.md" '| `gemm/fp8_e4m3/64x64x64` | skipped'
  expect_in "$work/result/summary.md" '| `gemm/bf16/128x128x128_burst` | [0-9.]* [GT]FLOP/s'
  if cat "$work"/result/* | grep -q 'GPU-[0-9a-f]\{8\}-'; then fail 'a UUID is told'; fi

  what='a kernel that writes a wrong bit'
  scenario <<'SCENARIO'
device a100-80gb memory=32MiB l2=2MiB
fault kernel:roofline_stream_copy_fp32_u4_cs 3 corrupt
SCENARIO
  status=0
  "$build/bin/roofline-selftest" --small >"$work/out" 2>"$work/err" || status=$?
  expect_status 1
  expect_err 'stream_copy_fp32_u4_cs: n .*1 wrong'
  expect_err ' 1 kernels are not'

  what='a kernel that reads where it must not, and the kernels after it'
  scenario <<'SCENARIO'
device a100-80gb memory=32MiB l2=2MiB
fault kernel:roofline_stream_add_fp64_u2_plain 2 illegal_address
SCENARIO
  status=0
  "$build/bin/roofline-selftest" --small >"$work/out" 2>"$work/err" || status=$?
  expect_status 1
  expect_err 'stream_add_fp64_u2_plain: n .*ILLEGAL_ADDRESS'
  expect_err ' 1 kernels are not'

  what='a device that is lost'
  scenario <<'SCENARIO'
device a100-80gb memory=32MiB l2=2MiB
fault kernel 200 device_lost
SCENARIO
  status=0
  "$build/bin/roofline-selftest" --small >"$work/out" 2>"$work/err" || status=$?
  expect_status 1
  expect_err "cuda:0 .*can't be used any more"

  what='no device'
  export FAKEGPU=none
  rm -rf "$work/result"
  check --quick --build "$build" -o "$work/result"
  expect_status 3
}

"test_$kind"
[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
echo 'all passed'
