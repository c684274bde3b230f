#include "troupe/model/quote.h"

#include <gtest/gtest.h>

namespace troupe::model {
namespace {

TEST(Quote, LeavesPrintableNamesAsTheyAre) {
  EXPECT_EQ(quote("blk.0.attn_q.weight"), "\"blk.0.attn_q.weight\"");
  EXPECT_EQ(quote(""), "\"\"");
}

TEST(Quote, ShowsBytesThatCouldForgeAMessageAsHexadecimal) {
  EXPECT_EQ(quote(std::string_view("a\0\n\"\\\xff", 6)), R"("a\x00\x0a\x22\x5c\xff")");
}

TEST(Quote, CutsLongNamesVisibly) {
  EXPECT_EQ(quote(std::string(80, 'x')), '"' + std::string(80, 'x') + '"');
  EXPECT_EQ(quote(std::string(81, 'x')), '"' + std::string(80, 'x') + "...\"");
}

}  // namespace
}  // namespace troupe::model
