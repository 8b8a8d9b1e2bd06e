# The short commands. CMake does the work; `cmake --preset` and `ctest --preset` can be used as well.
#
#   make            build the library and the command into build/
#   make demo       simulate some scenes and write pictures of them
#   make test       build everything with both compilers and the sanitizers, and run all tests
#   make test-long  run the long versions of some tests and compare bits with other machines, an hour or so
#   make fuzz       look for inputs that bring something down, FUZZ_SECONDS (60) for each target
#   make bench      measure, and compare with the peers that are installed
#   make format     lay out the sources with clang-format
#   make install    install into PREFIX (default /usr/local); DESTDIR is respected
#   make clean      remove all builds and pictures
#
# `demo`, `test`, `test-long` and `fuzz` first install what is missing of packages.txt.

PREFIX ?= /usr/local

.PHONY: all packages demo test test-long fuzz bench format install clean

all:
	@scripts/build release

packages:
	@scripts/install-packages

demo: packages
	@scripts/build release:mote_command
	@build/mote demo

test: packages
	@scripts/test

test-long:
	@scripts/install-packages long
	@scripts/test-long

fuzz: packages
	@scripts/fuzz

bench:
	@scripts/build release:mote_command
	@build/mote bench

format:
	@scripts/format

install: all
	@cmake --install build --prefix "$(PREFIX)"

clean:
	rm -rf build build-debug build-tsan build-clang build-clang-debug build-fuzz demo
