#!/bin/sh
# Fills vendor/npm, a cache of npm's, with every package of package-lock.json for Linux on x64 and arm64, and proves that
# an installation from it works without a network. tools/setup.sh installs from it when it is there.
set -eu
cd "$(dirname "$0")/.."

cache=$PWD/vendor/npm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json .npmrc "$work"
mkdir -p "$cache"

echo 'vendor: fetching the locked packages' >&2
for cpu in x64 arm64; do
  (cd "$work" && npm ci --ignore-scripts --no-progress --cache "$cache" --os linux --cpu "$cpu" --libc glibc >&2 </dev/null)
  rm -rf "$work/node_modules"
done
for cpu in arm64 x64; do
  rm -rf "$work/node_modules"
  (cd "$work" && npm ci --offline --ignore-scripts --no-progress --cache "$cache" --os linux --cpu "$cpu" --libc glibc >&2 </dev/null)
  [ -x "$work/node_modules/node-linux-$cpu/bin/node" ] || { echo "vendor: Node 26 for $cpu is missing" >&2; exit 1; }
done
rm -rf "$cache/_logs" "$cache/_update-notifier-last-checked"
echo "vendor: $(du -sh "$cache" | cut -f1) in vendor/npm, enough to install $(ls "$work/node_modules" | wc -l) packages offline" >&2
