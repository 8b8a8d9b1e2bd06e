/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0x3e82a642fdad3a96u)
GOLDEN("hourglass", 0, 40, 0x15fe3d84fd6d8ad6u)
GOLDEN("grain-sizes", 0, 40, 0x314ee2820230055eu)
GOLDEN("overlap", 0, 40, 0x28587b6ff75c82f5u)
GOLDEN("stress-grains", 4000, 40, 0xdbfbe668bf0a5fdfu)
GOLDEN("grains-column", 4000, 40, 0x63d9057befce51edu)
