#!/bin/sh
# Tests of scripts/setup, run and test over a made-up system: a PATH of stubs for the package manager, and a small CMake
# project instead of the real one.   tests/scripts/scripts_test.sh <repository>
set -eu
repository=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

needed='nlohmann-json3-dev libcli11-dev libfmt-dev libgtest-dev libgmock-dev'
optional='pkg-config libhwloc-dev libdnnl-dev libopenblas-openmp-dev libvalijson-dev'

# ---- the made-up system ---------------------------------------------------------------------------------------------

# What is there may be a link to the system's own tool, which must not be written through.
stub() {
  rm -f "$bin/$1"
  printf '#!/bin/sh\nstate=%s\n' "$state" >"$bin/$1"
  cat >>"$bin/$1"
  chmod +x "$bin/$1"
}

# Not `command -v`, which answers a builtin with its bare name.
link_tool() {
  for folder in $(echo "$PATH" | tr : ' '); do
    [ ! -x "$folder/$1" ] || { ln -s "$folder/$1" "$bin/$1" && return; }
  done
}

# new_system <uid>: nothing installed, package lists empty, the archive has everything.
new_system() {
  rm -rf "$work/system"
  state=$work/system/state
  bin=$work/system/bin
  project="$work/system/a project"
  mkdir -p "$state/installed" "$state/offered" "$state/archive" "$state/broken" "$bin" "$project"
  : >"$state/log"
  for tool in sh sed awk mktemp rm mkdir cat dirname basename nproc env grep cmake ctest ninja date touch cp uname c++ \
    ls true tail head mv chmod; do
    link_tool "$tool"
  done
  for package in g++ $needed $optional; do : >"$state/archive/$package"; done
  stub id <<STUB
echo $1
STUB
  # shellcheck disable=SC2016
  stub dpkg-query <<'STUB'
for package; do :; done
[ -e "$state/installed/$package" ] && printf installed
STUB
  stub apt-cache <<'STUB'
[ ! -e "$state/offered/$2" ] || echo "$2 | 1.0 | somewhere"
STUB
  stub dpkg <<'STUB'
echo "dpkg $*" >>"$state/log"
rm -f "$state/interrupted"
STUB
  stub apt-get <<'STUB'
echo "apt-get $*" >>"$state/log"
[ "${DEBIAN_FRONTEND-}" = noninteractive ] || { echo 'a question would be asked'; exit 1; }
verb=
status=0
for word; do
  case $word in
    -o) ;;
    -* | *::*) ;;
    install | update) verb=$word ;;
    *)
      if [ -e "$state/interrupted" ]; then echo 'E: dpkg was interrupted'; exit 100; fi
      if [ ! -e "$state/offered/$word" ]; then echo "E: Unable to locate package $word"; exit 100; fi
      if [ -e "$state/broken/$word" ]; then echo "E: $word is broken"; status=100; fi
      wanted="${wanted-} $word"
      ;;
  esac
done
[ $status = 0 ] || exit $status
case $verb in
  update) [ ! -e "$state/offline" ] || exit 100; cp "$state"/archive/* "$state/offered" ;;
  install) for word in $wanted; do : >"$state/installed/$word"; done ;;
esac
STUB
  cp -R "$repository/scripts" "$project/scripts"
  good_project
}

good_project() {
  cat >"$project/CMakeLists.txt" <<'STUB'
cmake_minimum_required(VERSION 3.22)
project(stand_in LANGUAGES NONE)
option(ROOFLINE_TESTS "" ON)
message(STATUS "DNNL::dnnl: libdnnl not found; without it GEMM points are skipped. The package is libdnnl-dev")
message(STATUS "GPU support is not in this build")
add_custom_target(program ALL COMMAND ${CMAKE_COMMAND} -E make_directory bin
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/program bin/roofline)
if(ROOFLINE_TESTS)
  enable_testing()
  add_test(NAME good COMMAND true)
  add_test(NAME other COMMAND true)
endif()
STUB
  cat >"$project/program" <<'STUB'
#!/bin/sh
printf '[%s]' "$@"
exit 3
STUB
  chmod +x "$project/program"
}

with_sudo() {
  stub sudo <<'STUB'
[ -e "$state/may-sudo" ] || { echo 'a password is required' >&2; exit 1; }
echo "sudo $*" >>"$state/log"
[ "$1" != -n ] || shift
exec "$@"
STUB
}

everything_installed() {
  for package in $needed $optional; do : >"$state/installed/$package"; done
}

# Runs a script of the made-up project; sets status, out and err.
call() {
  script=$1
  shift
  status=0
  env -i PATH="$bin" HOME="$work" TMPDIR="$work" "$project/scripts/$script" "$@" >"$work/out" 2>"$work/err" </dev/null ||
    status=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

# ---- expectations ---------------------------------------------------------------------------------------------------

failures=0
case_name=''
begin() { case_name=$1; }
fail() {
  failures=$((failures + 1))
  printf 'FAILED %s: %s\n--- status %s\n--- stdout\n%s\n--- stderr\n%s\n--- log\n%s\n' \
    "$case_name" "$1" "$status" "$out" "$err" "$(cat "$state/log")"
}
expect_status() { [ "$status" = "$1" ] || fail "status $status, expected $1"; }
expect_out() { [ "$out" = "$1" ] || fail "stdout, expected: $1"; }
expect_err() { case $err in *"$1"*) ;; *) fail "stderr lacks: $1" ;; esac; }
expect_silence() { [ -z "$err" ] || fail 'stderr, expected nothing'; }
expect_log() { grep -q -e "$1" "$state/log" || fail "log lacks: $1"; }
expect_no_log() { if grep -q -e "$1" "$state/log"; then fail "log has: $1"; fi; }
expect_installed() { for package; do [ -e "$state/installed/$package" ] || fail "$package is not installed"; done; }

# ---- setup ----------------------------------------------------------------------------------------------------------

begin 'root on a bare machine'
new_system 0
call setup
expect_status 0
# shellcheck disable=SC2086
expect_installed $needed $optional
expect_log 'apt-get .*update'
expect_out ''

begin 'the second run asks nobody'
: >"$state/log"
call setup
expect_status 0
expect_no_log apt-get
expect_silence

begin 'a package that was removed since is seen'
rm "$state/installed/libfmt-dev"
call setup
expect_status 0
expect_installed libfmt-dev
expect_no_log 'install.*libcli11-dev'

begin 'an optional package that the distribution does not have'
new_system 0
rm "$state/archive/libvalijson-dev"
call setup
expect_status 0
# shellcheck disable=SC2086
expect_installed $needed libdnnl-dev
expect_err 'libvalijson-dev does not exist for this system'
expect_no_log 'install.*libvalijson-dev'

begin 'and it costs no update the second time'
: >"$state/log"
call setup
expect_status 0
expect_no_log apt-get

begin 'an optional package that cannot be installed'
new_system 0
: >"$state/broken/libdnnl-dev"
call setup
expect_status 0
# shellcheck disable=SC2086
expect_installed $needed libhwloc-dev
expect_err 'libdnnl-dev is broken'
expect_err 'goes on without it'

begin 'a needed package that cannot be installed'
new_system 0
: >"$state/broken/libfmt-dev"
call setup
expect_status 1
expect_err 'E: libfmt-dev is broken'
expect_err 'could not install'

begin 'an interrupted installation is mended'
new_system 0
: >"$state/interrupted"
call setup
expect_status 0
expect_log 'dpkg --configure -a'
# shellcheck disable=SC2086
expect_installed $needed $optional

begin 'no network'
new_system 0
: >"$state/offline"
call setup
expect_status 1
expect_err 'could not be refreshed'

begin 'neither root nor sudo'
new_system 1000
call setup
expect_status 1
expect_err 'neither root nor sudo'
expect_err "  apt-get update && apt-get install -y --no-install-recommends $needed $optional"
expect_no_log apt-get

begin 'neither root nor sudo, only optional ones missing'
new_system 1000
everything_installed
rm "$state/installed/libdnnl-dev"
call setup
expect_status 0
expect_err 'install -y --no-install-recommends libdnnl-dev'

begin 'sudo'
new_system 1000
with_sudo
: >"$state/may-sudo"
call setup
expect_status 0
expect_log 'sudo -n env DEBIAN_FRONTEND=noninteractive apt-get'
# shellcheck disable=SC2086
expect_installed $needed $optional

begin 'sudo that wants a password and no terminal to ask'
new_system 1000
with_sudo
call setup
expect_status 1
expect_err 'neither root nor sudo'
expect_no_log apt-get

begin 'tools count by command'
new_system 0
everything_installed
rm "$bin/ninja" "$bin/c++"
call setup
expect_status 1 # the stub archive has no ninja-build
expect_log 'install.*g++ ninja-build'

begin 'another system'
new_system 0
rm "$bin/apt-get" "$bin/c++"
call setup
expect_status 1
expect_err 'has no apt-get; install by its own means: g++'

begin 'a CUDA compiler that cannot be fetched'
new_system 0
everything_installed
stub uname <<'STUB'
echo x86_64
STUB
stub python3 <<'STUB'
echo "python3 $*" >>"$state/log"
case "$*" in
  *'pip --version') ;;
  *'pip download'*)
    [ ! -e "$state/offline" ] || { echo 'no route to host'; exit 1; }
    for word; do if [ "${before-}" = --dest ]; then : >"$word/nvcc.whl"; fi; before=$word; done
    ;;
  *zipfile*)
    for folder; do :; done
    mkdir -p "$folder/nvidia/cu13/bin" "$folder/nvidia/cu13/nvvm/bin" "$folder/a_wheel-1.0.dist-info/licenses"
    for tool in nvcc ptxas cudafe++; do printf '#!/bin/sh\necho "release 13.0"; echo end\n' >"$folder/nvidia/cu13/bin/$tool"; done
    : >"$folder/nvidia/cu13/nvvm/bin/cicc"
    : >"$folder/a_wheel-1.0.dist-info/licenses/License.txt"
    ;;
esac
STUB
: >"$state/offline"
call setup cuda
expect_status 1
expect_err 'no route to host'
expect_err 'goes on without GPU support'
[ ! -e "$project/build/cuda-toolkit" ] || fail 'something is there'

begin 'a CUDA compiler'
rm "$state/offline"
call setup cuda
expect_status 0
expect_log 'pip download .*--require-hashes'
expect_err 'release 13.0'
[ -x "$project/build/cuda-toolkit/bin/nvcc" ] || fail 'there is no nvcc'
[ -x "$project/build/cuda-toolkit/nvvm/bin/cicc" ] || fail 'cicc cannot be run'
[ -e "$project/build/cuda-toolkit/licences/a_wheel.txt" ] || fail 'its licence is not there'

begin 'and it is fetched once'
: >"$state/log"
call setup cuda
expect_status 0
expect_no_log download

begin 'a CUDA compiler needs pip'
rm -rf "$project/build"
: >"$state/archive/python3-pip"
rm -r "$state/offered"
mkdir "$state/offered"
stub python3 <<'STUB'
echo 'No module named pip' >&2
exit 1
STUB
call setup cuda
expect_status 1
expect_installed python3-pip

begin 'a CUDA compiler for another processor'
stub uname <<'STUB'
echo aarch64
STUB
call setup cuda
expect_status 1
expect_err 'knows x86-64 only'

begin 'an argument that does not exist'
new_system 0
call setup everything
expect_status 1
expect_err "not 'everything'"
expect_no_log apt-get

# ---- run ------------------------------------------------------------------------------------------------------------

begin 'run without arguments'
new_system 1000
call run
expect_status 3 # the program's own
expect_out '[run]'
expect_err 'neither root nor sudo'
expect_err 'roofline: DNNL::dnnl: libdnnl not found; without it'
expect_err 'roofline: GPU support is not in this build'

begin 'arguments are passed on as they are'
new_system 0
everything_installed
call run show 'my report.json' '' '*'
expect_out '[show][my report.json][][*]'

begin 'a failed configuration is shown whole and forgotten'
new_system 0
everything_installed
printf 'cmake_minimum_required(VERSION 3.22)\nproject(x LANGUAGES NONE)\nmessage(FATAL_ERROR "no such thing")\n' \
  >"$project/CMakeLists.txt"
call run
expect_status 1
expect_out ''
expect_err 'no such thing'
expect_err 'could not configure'
[ ! -e "$project/build/CMakeCache.txt" ] || fail 'the failed cache is still there'
good_project
call run
expect_out '[run]'

begin 'a run that was killed while configuring'
rm "$project/build/.configured"
printf 'CMAKE_MAKE_PROGRAM:FILEPATH=/nowhere/ninja\nhalf a li' >>"$project/build/CMakeCache.txt"
call run
expect_out '[run]'

begin 'a build folder copied with its tree'
cp -R "$project" "$work/system/elsewhere"
project=$work/system/elsewhere
call run devices
expect_out '[devices]'
expect_no_log apt-get

begin 'a configured folder that has gone bad'
printf 'CMAKE_MAKE_PROGRAM:FILEPATH=/nowhere/ninja\n' >>"$project/build/CMakeCache.txt"
call run
expect_out '[run]'

begin 'a failed build is shown whole and does not spoil the next'
rm "$project/program"
call run
expect_status 1
expect_out ''
expect_err 'program'
expect_err 'the build in'
good_project
call run
expect_out '[run]'

# ---- test -----------------------------------------------------------------------------------------------------------

begin 'test'
new_system 0
everything_installed
call test
expect_status 0
case $out in *'100% tests passed, 0 tests failed out of 2'*) ;; *) fail 'no summary of two tests' ;; esac

begin 'run after test leaves the tests on'
call run
expect_out '[run]'
grep -q '^ROOFLINE_TESTS:BOOL=ON' "$project/build/CMakeCache.txt" || fail 'the tests are off'

begin 'arguments go to ctest'
call test -R other
case $out in *'out of 1'*) ;; *) fail 'not one test' ;; esac

begin 'no test at all is a failure'
call test -R nothing_of_this_name
[ "$status" != 0 ] || fail 'status 0'

begin 'test after run turns them on'
new_system 0
everything_installed
call run
grep -q '^ROOFLINE_TESTS:BOOL=OFF' "$project/build/CMakeCache.txt" || fail 'the tests are on'
call test
expect_status 0

[ $failures = 0 ] && echo 'scripts: all as expected'
