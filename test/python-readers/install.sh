#!/usr/bin/env bash
# Installs the Python packages that tests read results with, and check programs with, into .cache/python-readers, once. It
# needs CPython 3.11 with venv, on x86-64 Linux: packages are fixed by the hashes of their wheels for it.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/.cache/python-readers
lock=test/python-readers/requirements.txt
if [ -f "$folder/installed" ] && cmp -s "$lock" "$folder/installed"; then exit 0; fi

python=$(command -v python3.11 || command -v python3)
"$python" -c 'import sys; sys.exit(0 if sys.version_info[:2] == (3, 11) else "Python 3.11 is needed")'
rm -rf "$folder"
mkdir -p "$folder"
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r "$lock"
cp "$lock" "$folder/installed"
