#!/usr/bin/env bash
# Runs one fuzz target: tests/fuzz/run.sh BUILD TARGET LIMIT... LIMIT are libFuzzer options that limit the run. Findings are
# written to BUILD/findings/TARGET.
set -euo pipefail
build=$1 target=$2
shift 2
log=$build/fuzz_$target.log
mkdir -p "$build/corpus/$target" "$build/findings/$target"
cases=tests/fuzz/cases/$target
[[ -d $cases ]] || cases=
# A large allocation that fails throws an exception, as in the program. A leak, 25 seconds or 3 GB are findings.
if ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1 "$build/fuzz_$target" "$@" -timeout=25 -rss_limit_mb=3000 \
  -malloc_limit_mb=2500 -max_len=65536 -artifact_prefix="$build/findings/$target/" \
  "$build/corpus/$target" "$build/seeds/$target" $cases > "$log" 2>&1; then
  echo "fuzz $target: $(grep -a '^Done' "$log" | tail -n 1)"
else
  tail -n 60 "$log"
  echo "fuzz $target: a finding in $build/findings/$target" >&2
  exit 1
fi
