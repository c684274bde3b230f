#pragma once
#include "troupe/testing/scheduler_rig.h"

namespace troupe::continuous {

using testing::alone;
using testing::Rig;
using testing::WordTokens;

}  // namespace troupe::continuous
