# shellcheck shell=bash
# A clean Debian in a directory, for the tests of packages. Who sources this has set -euo pipefail,
# and is called again as `SCRIPT inside ROOT …`, as root, where nothing is anybody else's.

fail() {
    echo "packaging/${0##*/}: $*" >&2
    exit 1
}

# as_root WORDS…: calls the script again with these words as root, by sudo if it must. Whoever is
# root already gets false.
as_root() {
    ((EUID != 0)) || return 1
    local -a sudo=(sudo)
    command -v sudo >/dev/null || fail "a clean Debian needs root: run packaging/${0##*/} $* as root"
    # Where nobody can type a password it asks for none.
    [[ -t 0 ]] || sudo+=(-n)
    "${sudo[@]}" "$PWD/packaging/${0##*/}" "$@" ||
        fail "not passed as root; where sudo wants a password: sudo packaging/${0##*/} $*"
}

# make_root OPTIONS… SUITE: sets $root, a directory that ends with the script, and fills it.
make_root() {
    root=$(mktemp -d)
    trap 'rm -rf --one-file-system "$root"' EXIT
    mmdebstrap --quiet --mode=root "${@:1:$#-1}" "${@: -1}" "$root"
}

# alone WORDS…: calls `SCRIPT inside ROOT WORDS…`. Processes, mounts and the broker's port are nobody
# else's there, and end with it.
alone() {
    unshare --mount --pid --net --fork --kill-child -- "$PWD/packaging/${0##*/}" inside "$root" "$@"
}

# Begins what goes on inside.
enter() {
    ip link set lo up
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    echo '127.0.0.1 localhost' >"$root/etc/hosts"
    # What the unit would run, as its user and with its directories.
    # shellcheck disable=SC2034 # Its callers use it.
    as_remisd=(chroot --userspec=remisd:remisd "$root"
        env -i PATH=/usr/bin STATE_DIRECTORY=/var/lib/remisd)
    # Who listens to the broker: nobody in particular.
    listener=()
}

# wait_for TOPIC TEXT: until a message on the topic has the text.
wait_for() {
    grep -q -m 1 "$2" < <(timeout "${patience:-60}" mosquitto_sub "${listener[@]}" -t "$1") ||
        fail "no $2 on $1"
}

# Waits until the broker, process $broker, accepts connections.
broker_listens() {
    until (exec 3<>/dev/tcp/127.0.0.1/1883) 2>/dev/null; do
        kill -0 "$broker" || fail "the broker has ended"
        sleep 0.1
    done
}

# Starts the installed broker with what `remisd setup` has written, as its unit does, and listens as
# the arbiter.
start_guarded_broker() {
    chroot "$root" install -d -o mosquitto -g mosquitto /run/mosquitto
    chroot "$root" /usr/sbin/mosquitto -c /etc/mosquitto/mosquitto.conf &
    broker=$!
    broker_listens
    password=$(awk '$1 == "arbiter" { print $2 }' "$root/etc/remisd/passwords")
    listener=(-u arbiter -P "$password")
}
