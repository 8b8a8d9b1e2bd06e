/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0x43479052c0efa7bfu)
GOLDEN("hourglass", 0, 40, 0x34124cdbe0c6c2a9u)
GOLDEN("grain-sizes", 0, 40, 0xa5efc676d66a3966u)
GOLDEN("overlap", 0, 40, 0x00d2d96910e62d21u)
GOLDEN("overlap-plain", 0, 40, 0x35d01ef9c93059ccu)
GOLDEN("stress-grains", 4000, 40, 0x7d3cee88d9f58613u)
GOLDEN("grains-column", 4000, 40, 0xb7e0a1246f6295efu)
