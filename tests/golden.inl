/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0xa4c8f1314a415445u)
GOLDEN("hourglass", 0, 40, 0xaadd9531132d74c6u)
GOLDEN("grain-sizes", 0, 40, 0xdd4a29a3ebf6ad27u)
GOLDEN("overlap", 0, 40, 0x00d2d96910e62d21u)
GOLDEN("overlap-plain", 0, 40, 0x35d01ef9c93059ccu)
GOLDEN("stress-grains", 4000, 40, 0xc3e87ba4d6c3b9b6u)
GOLDEN("grains-column", 4000, 40, 0x31a9dadf99fb9632u)
