#!/usr/bin/env bash
# Installs the tools that tests run over OpenAPI documents into .cache/openapi-generators, once: openapi-python-client, Schemathesis,
# oapi-codegen with the Go modules that its clients need, and the packages of package.json: Spectral, and the converter to Postman's
# collections. It needs CPython 3.11 with venv on x86-64 Linux, and Go 1.21 or later. What is missing is said, and its tests are pending; the
# others are installed all the same.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/.cache/openapi-generators
here=$PWD/test/openapi-generators
oapi_codegen=v2.8.2
mkdir -p "$folder"

python_tools() {
  if [ -f "$folder/python-installed" ] && cmp -s "$here/requirements.txt" "$folder/python-installed"; then return 0; fi
  local python
  python=$(command -v python3.11 || command -v python3) || { echo 'no Python: openapi-python-client and Schemathesis are not installed'; return 0; }
  if ! "$python" -c 'import sys, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
    echo 'no Python 3.11 with venv: openapi-python-client and Schemathesis are not installed'
    return 0
  fi
  rm -rf "$folder/venv"
  "$python" -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
    -r "$here/requirements.txt"
  cp "$here/requirements.txt" "$folder/python-installed"
}

go_client() {
  if [ -f "$folder/go-installed" ] && [ "$(cat "$folder/go-installed")" = "$oapi_codegen" ]; then return 0; fi
  local minor
  minor=$(go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  if [ "${minor:-0}" -lt 21 ]; then
    echo 'no Go 1.21 or later, which fetches the version of Go that oapi-codegen wants: oapi-codegen is not installed'
    return 0
  fi
  GOBIN=$folder/bin GOFLAGS=-mod=mod go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@$oapi_codegen"
  (cd "$here" && go mod download)
  echo "$oapi_codegen" >"$folder/go-installed"
}

npm_tools() {
  if [ -f "$folder/npm-installed" ] && cmp -s "$here/package-lock.json" "$folder/npm-installed"; then return 0; fi
  rm -rf "$folder/npm"
  mkdir "$folder/npm"
  cp "$here/package.json" "$here/package-lock.json" "$folder/npm"
  (cd "$folder/npm" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp "$here/package-lock.json" "$folder/npm-installed"
}

python_tools
go_client
npm_tools
