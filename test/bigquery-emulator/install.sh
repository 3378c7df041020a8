#!/usr/bin/env bash
# Installs the BigQuery emulator that tests use into .cache/bigquery-emulator, once. It needs CPython 3.11 with venv, on Linux:
# packages are fixed by the hashes of their wheels for it. What `pip install bqemulator` alone gives does not start: it pulls a
# DuckDB that the emulator cannot use.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/.cache/bigquery-emulator
lock=test/bigquery-emulator/requirements.txt
if [ -f "$folder/installed" ] && cmp -s "$lock" "$folder/installed"; then exit 0; fi

python=$(command -v python3.11 || command -v python3)
"$python" -c 'import sys; sys.exit(0 if sys.version_info[:2] == (3, 11) else "Python 3.11 is needed")'
rm -rf "$folder"
mkdir -p "$folder/home"
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r "$lock"
# The emulator looks for its DuckDB extension below HOME, and would fetch it from there else.
HOME="$folder/home" "$folder/venv/bin/python" - <<'PYTHON'
import glob, os
import duckdb, duckdb_extension_spatial
folder = os.path.dirname(duckdb_extension_spatial.__file__)
(path,) = glob.glob(os.path.join(folder, 'extensions', '*', 'spatial.duckdb_extension'))
duckdb.connect().execute(f"INSTALL '{path}'")
PYTHON
cp "$lock" "$folder/installed"
