/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0xb59c692000292ba0u)
GOLDEN("hourglass", 0, 40, 0x2377c627c0fd5788u)
GOLDEN("grain-sizes", 0, 40, 0x2ea99a405385d6ecu)
GOLDEN("overlap", 0, 40, 0x55eb4bd1c5caf3ecu)
GOLDEN("stress-grains", 4000, 40, 0x11c321f112a529d1u)
GOLDEN("grains-column", 4000, 40, 0xca2e6d198b6da0f2u)
