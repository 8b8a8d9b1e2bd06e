/* GOLDEN(scene, particles, frames, hash after the last frame). Made by
 *     MOTE_GOLDEN=print build/tests/test_determinism > tests/golden.inl
 * which is right only after a change that is meant to change the results. */
GOLDEN("sand-pile", 4000, 40, 0xcf500dd289318662u)
GOLDEN("hourglass", 0, 40, 0xb300f3c61b87ba4du)
GOLDEN("grain-sizes", 0, 40, 0xf8f4cf7d0abe8654u)
GOLDEN("shapes", 0, 40, 0x15626b5c265c6dd0u)
GOLDEN("mixer", 0, 40, 0x9b4fda8c88278589u)
GOLDEN("funnel", 0, 40, 0x9c617cef231e5ec4u)
GOLDEN("rain", 0, 40, 0x62dc872d5e414a54u)
GOLDEN("overlap", 0, 40, 0xd2699d0349883debu)
GOLDEN("overlap-plain", 0, 40, 0x331c7effce5cff1fu)
GOLDEN("stress-grains", 4000, 40, 0x49fd50995b275904u)
GOLDEN("grains-column", 4000, 40, 0x50710dbe84c5ff60u)
