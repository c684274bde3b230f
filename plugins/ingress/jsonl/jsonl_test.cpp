#include "troupe/testing/conformance.h"

TROUPE_CONFORMANCE({.params = {{"input", "in.jsonl"}, {"output", "out.jsonl"}}})
