#!/usr/bin/env bash
# The first day of a newcomer: clone what is committed into an empty folder, with an empty HOME and a clean
# environment, make a new .venv, then run `make demo` and `make test`. Only how this machine reaches its package
# index (PIP_*, proxies, certificates) is handed on.
set -euo pipefail

here="$(cd "$(dirname "$0")/.." && pwd)"
away="$(mktemp -d)"
trap 'rm -rf "$away"' EXIT

if [ -n "$(git -C "$here" status --porcelain)" ]; then
    echo "note: there are uncommitted changes; make fresh tests what is committed"
fi
git clone --quiet "$here" "$away/lapcat"
mkdir "$away/home"

kept=()
while IFS= read -r -d '' pair; do
    case "${pair%%=*}" in
        PIP_* | SSL_CERT_FILE | SSL_CERT_DIR | REQUESTS_CA_BUNDLE) kept+=("$pair") ;;
        http_proxy | https_proxy | no_proxy | HTTP_PROXY | HTTPS_PROXY | NO_PROXY) kept+=("$pair") ;;
    esac
done < <(env -0)

cd "$away/lapcat"
for target in demo test; do
    echo "== make $target, as on a new machine"
    env -i PATH="$PATH" HOME="$away/home" LANG=C.UTF-8 TERM="${TERM:-dumb}" "${kept[@]}" \
        make --no-print-directory "$target" PYTHON="${PYTHON:-python3}" </dev/null
done
echo "== fresh: demo and test passed"
