#include "documents.hpp"

namespace sluice::sim {
namespace {

TEST(MergePatch, FollowsTheExamplesOfTheRfc) {
    const struct {
        const char* document;
        const char* patch;
        const char* wanted;
    } rows[] = {
        {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
        {R"({"a":"b"})", R"({"a":null})", R"({})"},
        {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
        {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
        {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
        {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
        {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
        {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
        {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
        {R"({"a":1})", R"({"a":{"b":null,"c":[null,{"d":null}]}})", R"({"a":{"c":[null,{}]}})"},
        {R"({"a":1})", R"({})", R"({"a":1})"},
    };
    for (const auto& [document, patch, wanted] : rows) {
        SCOPED_TRACE(patch);
        expect_same(merge_patch(from(document), value_from(patch)), wanted);
    }
}

TEST(MergePatch, ThatIsNoObjectIsABadRequest) {
    for (const char* patch : {"[]", "null", "1", "\"x\"", "false"}) {
        const Patched patched = merge_patch(from(R"({"a":1})"), value_from(patch));
        ASSERT_FALSE(patched) << patch;
        EXPECT_EQ(patched.error().status, 400) << patch;
    }
}

TEST(MergePatch, RemovesVeryManyMembersInGoodTime) {
    json::object document;
    json::object patch;
    for (int i = 0; i < 100'000; ++i) {
        document["key" + std::to_string(i)] = i;
        patch["key" + std::to_string(i)] = nullptr;
    }
    expect_same(merge_patch(document, patch), "{}");
}

TEST(MergePatch, RefusesWhatNestsTooDeeply) {
    EXPECT_TRUE(merge_patch({}, value_from(R"({"a":)" + nested(99) + "}")));
    EXPECT_EQ(text_of(merge_patch({}, value_from(R"({"a":)" + nested(100) + "}"))),
              "400 BadRequest: exceeded max depth");
}

}  // namespace
}  // namespace sluice::sim
