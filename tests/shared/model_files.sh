# For scripts that read the real and broken files of Debian's assimp-testmodels with a test program: each is
# read or refused. None may crash, leak or hang, neither in a process of its own, as programs read them, nor
# within the test program, where a sanitizer sees it all. To be sourced; `failures` counts.

models=/usr/share/assimp/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Ends the script if the files are not there: skipped, unless something has failed before.
need_models() {
    [ -d "$models" ] && return
    echo "the package assimp-testmodels is not installed"
    [ "$failures" = 0 ] && exit 77
    exit 1
}

# find_models ENDING...: all files whose names end so, into `files`.
find_models() {
    local ending names=()
    for ending in "$@"; do
        names+=(-o -iname "*.$ending")
    done
    mapfile -d '' files < <(find "$models" -type f \( "${names[@]:1}" \) -print0 | sort -z)
}

# read_files PROGRAM SECONDS NAME OPTIONS...: every file must get its line, and the program must end well.
read_files() {
    local program=$1 seconds=$2 name=$3 code loaded refused
    shift 3
    timeout "$seconds" "$program" "$@" "${files[@]}" >"$work/$name" 2>"$work/errors"
    code=$?
    loaded=$(grep -c '^loaded ' "$work/$name")
    refused=$(grep -c '^refused ' "$work/$name")
    echo "$name: ${#files[@]} files, $loaded loaded, $refused refused"
    if [ "$code" != 0 ] || [ $((loaded + refused)) != "${#files[@]}" ]; then
        fail "$name: exit code $code; the last lines:"
        tail -n 3 "$work/$name"
        tail -n 40 "$work/errors"
    fi
}

# read_both_ways PROGRAM SECONDS: apart and here; both ways read the same.
read_both_ways() {
    read_files "$1" "$2" apart
    read_files "$1" "$2" here --here
    diff <(grep '^loaded ' "$work/apart") <(grep '^loaded ' "$work/here") || fail "the two ways differ"
}

# expect FILE FIELDS NUMBERS...: a file that is known, and what awk prints of its line.
expect() {
    local file=$1 fields=$2 got
    shift 2
    got=$(awk -v path="$models/$file" "\$1 == \"loaded\" && \$NF == path { print $fields }" "$work/apart")
    [ "$got" = "$*" ] || fail "$file has '$got' ($fields), expected '$*'"
}
