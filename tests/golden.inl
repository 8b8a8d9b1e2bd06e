/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0xe2fef3d1da95abf8u)
GOLDEN("hourglass", 0, 40, 0xebbdfb4fa5805530u)
GOLDEN("grain-sizes", 0, 40, 0xa4357714552f7a1eu)
GOLDEN("overlap", 0, 40, 0x55b11495be3bc3e0u)
GOLDEN("stress-grains", 4000, 40, 0x5a2ffc11089e493bu)
GOLDEN("grains-column", 4000, 40, 0xa62aefacb3b5d8a6u)
