#include "model/json_text.hpp"

#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>

namespace sluice::model {
namespace {

std::string between(const char* from, const char* to) {
    return boost::json::serialize(merge_patch_between(parse_json(from), parse_json(to)));
}

TEST(MergePatchBetween, SaysWhatIsNewWhatIsOtherAndWhatIsGone) {
    EXPECT_EQ(between(R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":4,"d":5})"),
              R"({"c":null,"b":4,"d":5})");
}

TEST(MergePatchBetween, GoesIntoObjectsAndReplacesLists) {
    EXPECT_EQ(between(R"({"x":{"a":1,"b":[1,2]}})", R"({"x":{"b":[2]}})"),
              R"({"x":{"a":null,"b":[2]}})");
}

TEST(MergePatchBetween, OfTheSameIsEmptyAndOfNothingIsAll) {
    EXPECT_EQ(between(R"({"a":{"b":1}})", R"({"a":{"b":1}})"), "{}");
    EXPECT_EQ(between("null", R"({"a":1})"), R"({"a":1})");
    EXPECT_EQ(between(R"({"a":1})", R"({"a":{"b":1}})"), R"({"a":{"b":1}})");
}

}  // namespace
}  // namespace sluice::model
