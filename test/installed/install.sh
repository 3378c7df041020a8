#!/usr/bin/env bash
# Installs the tools of other makers that tests need; test/installed/installed.ts says which are there. Debian's programs are
# installed where this is root and has apt-get; all else goes into .cache, once, and is fixed by hashes. It needs CPython 3.11 with venv
# on x86-64 Linux, and Go 1.21 or later. What cannot be installed is said, and the others are installed all the same.
#
#   test/installed/install.sh                     all
#   test/installed/install.sh bigquery_emulator   one of the names in `all` below
set -uo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/test/installed
cache=$PWD/.cache
all='programs bigquery_emulator python_readers openapi_python openapi_go openapi_npm registry vscode_extension'

# is_installed MARK LOCK: the mark has the text of the lock file that was installed last.
is_installed() { [ -f "$1" ] && cmp -s "$1" "$2"; }

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# packages NAME…: Debian's packages. RUNLEVEL=1 keeps their services from starting.
packages() {
  apt-get update -qq
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# nginx and redis-server, which tests put in front of the server and behind it, openssl for certificates, and the browser that
# the explorer is tested in; jq and LibreOffice's spreadsheet, which write files that tests read.
programs() {
  if can_install; then packages nginx redis-server openssl chromium jq libreoffice-calc; fi
}

# python_packages FOLDER LOCK: a virtual environment with the packages of the lock file.
python_packages() {
  local python
  python=$(command -v python3.11 || command -v python3 || true)
  if ! "${python:-false}" -c 'import sys, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
    if ! can_install; then echo 'Python 3.11 with venv is needed'; return 1; fi
    packages python3.11 python3.11-venv
    python=python3.11
  fi
  rm -rf "$1/venv"
  mkdir -p "$1"
  "$python" -m venv "$1/venv"
  "$1/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: -r "$2"
}

# What `pip install bqemulator` alone gives does not start: it pulls a DuckDB that the emulator cannot use.
bigquery_emulator() {
  local folder=$cache/bigquery-emulator lock=$here/bigquery-emulator.txt
  if is_installed "$folder/installed" "$lock"; then return 0; fi
  python_packages "$folder" "$lock"
  mkdir -p "$folder/home"
  # The emulator looks for its DuckDB extension below HOME, and would fetch it from there else.
  HOME="$folder/home" "$folder/venv/bin/python" - <<'PYTHON'
import glob, os
import duckdb, duckdb_extension_spatial
folder = os.path.dirname(duckdb_extension_spatial.__file__)
(path,) = glob.glob(os.path.join(folder, 'extensions', '*', 'spatial.duckdb_extension'))
duckdb.connect().execute(f"INSTALL '{path}'")
PYTHON
  cp "$lock" "$folder/installed"
}

# The packages that tests read results with, and check programs with.
python_readers() {
  local folder=$cache/python-readers lock=$here/python-readers.txt
  if is_installed "$folder/installed" "$lock"; then return 0; fi
  python_packages "$folder" "$lock"
  cp "$lock" "$folder/installed"
}

# openapi-python-client and Schemathesis.
openapi_python() {
  local folder=$cache/openapi-generators lock=$here/openapi-python.txt
  if is_installed "$folder/python-installed" "$lock"; then return 0; fi
  python_packages "$folder" "$lock"
  cp "$lock" "$folder/python-installed"
}

# oapi-codegen, with the Go modules that its clients need.
openapi_go() {
  local folder=$cache/openapi-generators version=$here/openapi-go/oapi-codegen.version minor
  if is_installed "$folder/go-installed" "$version"; then return 0; fi
  minor=$(go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  if [ "${minor:-0}" -lt 21 ]; then
    echo 'no Go 1.21 or later, which fetches the version of Go that oapi-codegen wants: its tests are pending'
    return 0
  fi
  GOBIN=$folder/bin GOFLAGS=-mod=mod go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$(cat "$version")"
  (cd "$here/openapi-go" && go mod download)
  cp "$version" "$folder/go-installed"
}

# npm_packages FOLDER LOCKED: the packages of LOCKED/package-lock.json, in FOLDER/npm. None of their scripts is run.
npm_packages() {
  rm -rf "$1/npm"
  mkdir -p "$1/npm"
  cp "$2/package.json" "$2/package-lock.json" "$1/npm"
  (cd "$1/npm" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
}

# Spectral, and the converter to Postman's collections.
openapi_npm() {
  local folder=$cache/openapi-generators lock=$here/openapi-npm/package-lock.json
  if is_installed "$folder/npm-installed" "$lock"; then return 0; fi
  npm_packages "$folder" "$here/openapi-npm"
  cp "$lock" "$folder/npm-installed"
}

# Verdaccio, a package registry that runs on this machine.
registry() {
  local folder=$cache/registry lock=$here/registry/package-lock.json
  if is_installed "$folder/installed" "$lock"; then return 0; fi
  npm_packages "$folder" "$here/registry"
  cp "$lock" "$folder/installed"
}

# vsce and the language client, by which the extension for VS Code is built and packed.
vscode_extension() {
  local folder=$cache/vscode-extension lock=$PWD/editors/vscode/package-lock.json
  if is_installed "$folder/installed" "$lock"; then return 0; fi
  npm_packages "$folder" "$PWD/editors/vscode"
  cp "$lock" "$folder/installed"
}

# `set -e` has no effect in a condition, so the status is read after the subshell.
status=0
for tool in ${@:-$all}; do
  (
    set -e
    "$tool"
  )
  if [ $? -ne 0 ]; then
    echo "not installed: $tool" >&2
    status=1
  fi
done
exit "$status"
