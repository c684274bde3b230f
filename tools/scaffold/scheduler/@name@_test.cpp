#include "troupe/testing/conformance.h"
#include "troupe/testing/scheduler_rig.h"

#include <gtest/gtest.h>

TROUPE_CONFORMANCE()

namespace troupe::testing {
namespace {

TEST(@Name@, ServesTheShortestPromptFirst) {
  Rig rig({{"max_num_seqs", 1}});
  rig.admit(1, 30, 2);  // 30 tokens of prompt, 2 of answer
  rig.admit(2, 10, 2);
  rig.admit(3, 20, 2);
  rig.run();
  EXPECT_EQ(rig.ends(), (std::vector<std::uint64_t>{2, 3, 1}));
  EXPECT_EQ(rig.tokens_of(1), alone(1, 30, 2));
}

}  // namespace
}  // namespace troupe::testing
