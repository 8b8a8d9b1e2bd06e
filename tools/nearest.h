/* Which known word was probably meant. */
#include "io/nearest.h"
