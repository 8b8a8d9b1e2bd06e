/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0xaa860b459f4b4a13u)
GOLDEN("hourglass", 0, 40, 0x140fddf97173dbf4u)
GOLDEN("grain-sizes", 0, 40, 0x2155d8720fab4b91u)
GOLDEN("overlap", 0, 40, 0xfc9d7802842a2129u)
GOLDEN("overlap-plain", 0, 40, 0xb4c922a3ec568adbu)
GOLDEN("stress-grains", 4000, 40, 0x098d5e232a7ac46eu)
GOLDEN("grains-column", 4000, 40, 0x680954f170a4b0d5u)
