#!/usr/bin/env bash
# Makes .venv in the project root, installs progtf with its development tools, and gets its programs ready.
# Quick the second time.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { printf 'set-up cannot go on: %s\n' "$1" >&2; exit 1; }

# What progtf keeps of the programs that come with it: made anew where they, or what reads them, changed.
ready() { .venv/bin/python scripts/shipped.py || fail "the programs could not be read (see above)"; }

stamp=".venv/.installed-$(cat pyproject.toml constraints.txt scripts/setup.sh scripts/native.py progtf/running/native/*.[ch] | cksum | tr ' ' '-')"
if [ -e "$stamp" ]; then ready; exit 0; fi

python=""
for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11; do
  [ -n "$candidate" ] && command -v "$candidate" >/dev/null || continue
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || fail "no Python 3.11 or newer found; install one, or name it: PYTHON=/path/to/python3 make"
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "$python has no venv module; on Debian: apt-get install python3-venv"
free_kib=$(df -Pk . | awk 'NR == 2 { print $4 }')
[ -d .venv ] || [ "$free_kib" -gt 8000000 ] || fail "8 GB of free disk are needed for PyTorch, $((free_kib / 1000000)) GB are left here"

printf 'Setting up .venv with %s (a few minutes the first time: PyTorch is large) ...\n' "$("$python" --version)"
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable '.[dev]' \
  || fail "pip could not install the packages (see above); is the network reachable?"
# As pip would by one processor; a file of a package that is not for this Python is none of ours.
.venv/bin/python -m compileall -q -j 0 .venv/lib >/dev/null 2>&1 || true
rm -f .venv/.installed-*
ready
touch "$stamp"
printf 'Ready: .venv/bin/progtf --help\n'
