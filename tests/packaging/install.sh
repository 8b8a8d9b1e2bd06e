#!/usr/bin/env bash
# Installs Mote into a folder of its own, moves that folder, and uses it as others would: with find_package, with
# pkg-config, shared and static, from C and from C++. Also looks at what the libraries show and need.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}

section() {
    echo "-- $*"
}

section "install, and move the result"
DESTDIR="$work/staging" cmake --install "$BUILD_DIR" --prefix /first >"$work/install.log"
prefix=$work/moved
mv "$work/staging/first" "$prefix"
"$prefix/bin/mote" --help >/dev/null

section "find_package"
cmake -S "$SOURCE_DIR/tests/packaging/consumer" -B "$work/consumer" -G Ninja \
    -D CMAKE_PREFIX_PATH="$prefix" -D CMAKE_C_COMPILER="$cc" >"$work/configure.log"
cmake --build "$work/consumer" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/consumer/with_shared"
"$work/consumer/with_static"
"$work/consumer/with_cxx"

section "pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name mote.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir mote)
program=$SOURCE_DIR/tests/packaging/consumer/fall.c
# The flags are several words, so they must not be quoted.
# shellcheck disable=SC2046
"$cc" "$program" -o "$work/shared" $(pkg-config --cflags --libs mote)
LD_LIBRARY_PATH=$libraries "$work/shared"
# shellcheck disable=SC2046
"$cc" -static "$program" -o "$work/static" $(pkg-config --static --cflags --libs mote)
"$work/static"

section "the shared library needs libc, libm and threads only"
needed=$(readelf --dynamic "$libraries/libmote.so" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
if grep -vE '^(libc|libm|libpthread|ld-linux.*)\.so\.[0-9]+$' <<<"$needed"; then
    echo "it needs the libraries above as well"
    exit 1
fi

section "the shared library shows mote_ names only"
shown=$(nm --dynamic --defined-only --format=posix "$libraries/libmote.so" | awk '{ print $1 }')
if grep -v '^mote_' <<<"$shown"; then
    echo "it shows the names above as well"
    exit 1
fi

section "every declared function is there"
declared=$(sed -nE 's/^MOTE_API .*[ *](mote_[a-z0-9_]+)\(.*/\1/p' "$prefix"/include/mote/*.h)
if [[ -z $declared ]] || grep -vxFf <(printf '%s\n' "$shown") <<<"$declared"; then
    echo "the functions above are declared but not in the library"
    exit 1
fi

section "the static library defines mote_ and mt_ names only"
defined=$(nm --extern-only --defined-only --format=posix "$libraries/libmote.a" | awk 'NF > 2 { print $1 }')
if grep -vE '^(mote|mt)_' <<<"$defined"; then
    echo "the names above could clash with a user's own"
    exit 1
fi
