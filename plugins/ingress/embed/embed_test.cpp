#include "troupe/testing/conformance.h"

TROUPE_CONFORMANCE()
