#!/usr/bin/env bash
# Runs two commands at once and fails if either does: beside.sh FIRST... -- SECOND...
# The first one, a single line of words, is told of when the second is done, which shows itself.
set -uo pipefail

first=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do first+=("$1"); shift; done
shift

said=$(mktemp)
"${first[@]}" >"$said" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null; rm -f "$said"' EXIT

failed=0
"$@" || failed=$?
wait "$beside" || { failed=$?; echo "${first[*]} failed:" >&2; }
cat "$said"
exit "$failed"
