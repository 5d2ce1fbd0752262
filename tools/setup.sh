#!/bin/sh
# Brings what a make target needs: Debian packages and the locked npm packages (with them Node 26).
#
# Usage: tools/setup.sh [run|test|bench|controller|package|cluster]     (default: test)
# Quick and silent when nothing is missing. Exit 0: all is there. Exit 2: something is missing that this script may not
# or can't install; stderr says what, and the one command that installs it.
set -eu
cd "$(dirname "$0")/.."

goal=${1:-test}
packages='nginx libnginx-mod-http-lua lua-resty-core lua-cjson libatomic1 libstdc++6 openssl'
case $goal in
  run) packages="$packages curl" ;;
  test) packages="$packages libnginx-mod-stream curl binutils" ;;
  bench) packages="$packages libnginx-mod-stream curl wrk nghttp2-client" ;;
  cluster)
    packages='containernetworking-plugins iptables conntrack iproute2 libatomic1 libstdc++6'
    # Docker's packages bring a containerd and a runc of their own, and many machines a Go that isn't Debian's.
    for pair in containerd:containerd runc:runc go:golang-go; do
      command -v "${pair%%:*}" >/dev/null || packages="$packages ${pair#*:}"
    done
    ;;
  # An executable is made without nginx.
  controller) packages='libatomic1 libstdc++6 binutils' ;;
  package) packages='libatomic1 libstdc++6 binutils debian-archive-keyring iproute2 libcap2-bin' ;;
  *)
    echo "setup: unknown goal '$goal'; known are: run test bench controller package cluster" >&2
    exit 2
    ;;
esac

say() { echo "setup: $*" >&2; }

stop() {
  say "$@"
  exit 2
}

installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# --- Debian packages -------------------------------------------------------------------------------------------------

policy=/usr/sbin/policy-rc.d
policy_saved=''
policy_made=''

restore_policy() {
  if [ -n "$policy_made" ]; then rm -f "$policy"; fi
  if [ -n "$policy_saved" ]; then mv "$policy_saved" "$policy"; fi
  policy_made='' policy_saved=''
}

# Debian starts a service as soon as its package is unpacked, unless this file says no. What stood there comes back.
forbid_services() {
  trap restore_policy EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ -e "$policy" ] || [ -L "$policy" ]; then
    policy_saved=$(mktemp "$policy.before-weir.XXXXXX")
    mv "$policy" "$policy_saved"
  fi
  policy_made=yes
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
}

install_debian() {
  say "installing Debian packages: $*"
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  forbid_services
  attempt() { apt-get install -y -q --no-install-recommends "$@" >"$log" 2>&1 </dev/null; }
  # Package lists may be missing or out of date: they are fetched only when the first attempt fails.
  if ! attempt "$@"; then
    if ! apt-get update -q >"$log" 2>&1 </dev/null || ! attempt "$@"; then
      cat "$log" >&2
      rm -f "$log"
      stop "apt-get could not install: $*. Look at its output above; then run this again."
    fi
  fi
  rm -f "$log"
  # The machine's own nginx and containerd services stay off: weir and the test cluster run their own.
  for package in "$@"; do
    case $package in
      nginx | containerd)
        if command -v systemctl >/dev/null; then systemctl --quiet disable "$package" >/dev/null 2>&1 || true; fi
        ;;
    esac
  done
  restore_policy
  trap - EXIT INT TERM HUP
}

command -v dpkg-query >/dev/null ||
  stop "this is not a Debian system. Needed are nginx 1.22 or newer with its Lua and stream modules, lua-resty-core," \
    "lua-cjson, libatomic, openssl and curl; Debian 12 calls them: $packages"

missing=''
for package in $packages; do
  installed "$package" || missing="$missing $package"
done
if [ -n "$missing" ]; then
  if [ "$(id -u)" -ne 0 ]; then
    say "missing Debian packages:$missing"
    stop "install them with:  sudo apt-get install -y --no-install-recommends$missing"
  fi
  # shellcheck disable=SC2086 # a list of names
  install_debian $missing
fi

# --- npm packages ----------------------------------------------------------------------------------------------------

command -v node >/dev/null ||
  stop "there is no Node.js. Install Node 18 or newer with npm (Debian: apt-get install -y nodejs npm); it fetches Node 26 for this folder."
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 18 ] || stop "Node $(node --version) is too old to run npm here. Install Node 18 or newer; it fetches Node 26 for this folder."

# The stamp holds the checksum of the lockfile that was installed.
stamp=node_modules/.weir-setup
lock=$(sha256sum <package-lock.json)
if [ "$(cat "$stamp" 2>/dev/null)" != "$lock" ]; then
  if [ ! -x node_modules/.bin/node ] || ! node tools/installed.mjs; then
    command -v npm >/dev/null || stop "npm is missing. Install it (Debian: apt-get install -y npm) and run this again."
    say 'installing the locked npm packages'
    cache=''
    if [ -d vendor/npm ]; then cache='--prefer-offline --cache vendor/npm'; fi
    # shellcheck disable=SC2086 # two arguments
    npm ci --ignore-scripts --no-progress --no-update-notifier $cache >&2 </dev/null || stop "npm ci failed; its output is above."
  fi
  if [ ! -x node_modules/.bin/node ]; then
    stop "there is no Node 26 for this machine ($(uname -sm)): the locked packages bring it for Linux on x64 and arm64."
  fi
  node_modules/.bin/node -e '' || stop "node_modules/.bin/node does not start; see above."
  echo "$lock" >"$stamp"
fi
