#include "documents.hpp"

namespace sluice::sim {
namespace {

const std::string does_not_apply =
    "422 Invalid: the server rejected our request due to an error in our request";

struct Row {
    std::string document;
    std::string patch;
    std::string wanted;
};

TEST(JsonPatch, DoesWhatItsOperationsSay) {
    const Row rows[] = {
        {R"({"a":1})", R"([])", R"({"a":1})"},
        {R"({"a":1})", R"([{"op":"add","path":"/b","value":2}])", R"({"a":1,"b":2})"},
        {R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
        {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-","value":3}])", R"({"a":[1,2,3]})"},
        {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/2","value":3}])", R"({"a":[1,2,3]})"},
        {R"({"a":{"b":1}})", R"([{"op":"remove","path":"/a/b"}])", R"({"a":{}})"},
        {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/0"}])", R"({"a":[2]})"},
        {R"({"a":1})", R"([{"op":"replace","path":"/a","value":{"b":2}}])", R"({"a":{"b":2}})"},
        {R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/1","value":3}])", R"({"a":[1,3]})"},
        {R"({"a":1})", R"([{"op":"move","from":"/a","path":"/b"}])", R"({"b":1})"},
        {R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/c"}])",
         R"({"a":{"b":1},"c":{"b":1}})"},
        {R"({"a":{"b":[1,{"c":null}]}})",
         R"([{"op":"test","path":"/a","value":{"b":[1,{"c":null}]}}])",
         R"({"a":{"b":[1,{"c":null}]}})"},
        {R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])", R"({"b":2})"},
        {R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])", R"({"a":1})"},
    };
    for (const auto& [document, patch, wanted] : rows) {
        SCOPED_TRACE(patch);
        expect_same(json_patch(from(document), value_from(patch)), wanted);
    }
}

TEST(JsonPatch, ReadsEscapedNamesAndEmptyOnes) {
    expect_same(json_patch(from(R"({"a/b":{"c~d":1},"":{"":2}})"),
                           value_from(R"([{"op":"replace","path":"/a~1b/c~0d","value":3},
                                  {"op":"replace","path":"//","value":4},
                                  {"op":"add","path":"/~01","value":5}])")),
                R"({"a/b":{"c~d":3},"":{"":4},"~1":5})");
}

TEST(JsonPatch, TakesTheLibertiesOfTheApiServer) {
    const Row rows[] = {
        {R"({})", R"([{"op":"replace","path":"/a","value":1}])", R"({"a":1})"},
        {R"({})", R"([{"op":"test","path":"/a","value":null}])", R"({})"},
        {R"({})", R"([{"op":"test","path":"/a"}])", R"({})"},
        {R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])", R"({"a":[1]})"},
        {R"({"a":[1,2]})", R"([{"op":"add","path":"/a/-1","value":3}])", R"({"a":[1,2,3]})"},
        {R"({"a":[1,2]})", R"([{"op":"test","path":"/a/+1","value":2}])", R"({"a":[1,2]})"},
        {R"({})", R"([{"op":"add","path":"/a"}])", R"({"a":null})"},
        {R"({"a":1})", R"(null)", R"({"a":1})"},
    };
    for (const auto& [document, patch, wanted] : rows) {
        SCOPED_TRACE(patch);
        expect_same(json_patch(from(document), value_from(patch)), wanted);
    }
}

TEST(JsonPatch, ThatDoesNotFitTheDocumentIsUnprocessable) {
    const json::object document = from(R"({"a":{"b":1},"l":[1,2],"n":null,"s":"x"})");
    for (const char* operation : {
             R"({"op":"test","path":"/a/b","value":2})",
             R"({"op":"test","path":"/a/b","value":1.0})",
             R"({"op":"test","path":"/a/missing","value":1})",
             R"({"op":"test","path":"/missing/b","value":null})",
             R"({"op":"test","path":"/l/2","value":null})",
             R"({"op":"remove","path":"/missing"})",
             R"({"op":"remove","path":"/l/2"})",
             R"({"op":"remove","path":"/l/-"})",
             R"({"op":"remove","path":"/l/-3"})",
             R"({"op":"remove","path":""})",
             R"({"op":"add","path":"","value":{}})",
             R"({"op":"add","path":"a","value":{}})",
             R"({"op":"add","path":"/missing/b","value":1})",
             R"({"op":"add","path":"/n/b","value":1})",
             R"({"op":"add","path":"/s/b","value":1})",
             R"({"op":"add","path":"/l/3","value":1})",
             R"({"op":"add","path":"/l/x","value":1})",
             R"({"op":"add","path":"/l/1x","value":1})",
             R"({"op":"add","path":"/l/","value":1})",
             R"({"op":"add","path":"/l/99999999999999999999","value":1})",
             R"({"op":"add","path":"/l/-9223372036854775808","value":1})",
             R"({"op":"replace","path":"/l/2","value":1})",
             R"({"op":"replace","path":"/l/-","value":1})",
             R"({"op":"replace","path":"/missing/b","value":1})",
             R"({"op":"replace","path":"","value":[1]})",
             R"({"op":"replace","path":""})",
             R"({"op":"move","from":"/missing","path":"/x"})",
             R"({"op":"move","from":"/a","path":"/a/b/c"})",
             R"({"op":"move","path":"/x"})",
             R"({"op":"move","from":"/a"})",
             R"({"op":"copy","from":"/l/7","path":"/x"})",
             R"({"op":"copy","from":"","path":"/x"})",
             R"({"op":"frobnicate","path":"/a"})",
             R"({"path":"/a"})",
             R"({"op":"remove"})",
             R"(null)",
         }) {
        const Patched patched = json_patch(document, json::array{value_from(operation)});
        EXPECT_EQ(text_of(patched), does_not_apply) << operation;
    }
}

TEST(JsonPatch, ThatIsNoListOfOperationsIsABadRequest) {
    for (const char* patch :
         {R"({})", R"("add")", R"(1)", R"(true)", R"([1])", R"(["add"])", R"([[]])",
          R"([{"op":1,"path":"/a"}])", R"([{"op":"add","path":["a"],"value":1}])",
          R"([{"op":"copy","from":{},"path":"/a"}])"}) {
        const Patched patched = json_patch(from("{}"), value_from(patch));
        ASSERT_FALSE(patched) << patch;
        EXPECT_EQ(patched.error().status, 400) << patch;
        EXPECT_EQ(patched.error().reason, "BadRequest") << patch;
    }
}

TEST(JsonPatch, StopsAtTheFirstOperationThatFailsAndChangesNothing) {
    const json::object document = from(R"({"a":1})");
    const Patched patched = json_patch(document, value_from(R"([{"op":"add","path":"/b","value":1},
                                            {"op":"test","path":"/a","value":2}])"));
    EXPECT_EQ(text_of(patched), does_not_apply);
    EXPECT_TRUE(same(document, from(R"({"a":1})")));
}

TEST(JsonPatch, HasABoundOnItsOperations) {
    json::array patch(10'001, value_from(R"({"op":"test","path":"/a","value":null})"));
    EXPECT_EQ(text_of(json_patch({}, patch)),
              "413 RequestEntityTooLarge: The allowed maximum operations in a JSON patch is 10000, "
              "got 10001");
    patch.pop_back();
    EXPECT_TRUE(json_patch({}, patch));
}

TEST(JsonPatch, CannotBlowADocumentUpByCopies) {
    json::array patch;
    for (int i = 0; i < 60; ++i)
        patch.push_back(value_from(R"({"op":"copy","from":"/a","path":"/a/-"})"));
    EXPECT_FALSE(json_patch(from(R"({"a":["x","y"]})"), patch));
    json::array wide;
    for (int i = 0; i < 40; ++i) {
        wide.push_back(value_from(R"({"op":"copy","from":"/a","path":"/b"})"));
        wide.push_back(value_from(R"({"op":"add","path":"/a","value":{}})"));
    }
    EXPECT_TRUE(json_patch(from(R"({"a":["x","y"]})"), wide));
}

TEST(JsonPatch, RefusesWhatNestsTooDeeply) {
    const auto add = [](std::size_t levels) {
        return value_from(R"([{"op":"add","path":"/a","value":)" + nested(levels) + "}]");
    };
    EXPECT_TRUE(json_patch({}, add(98)));
    for (const std::size_t levels : {99UZ, 100UZ, 4000UZ})
        EXPECT_EQ(text_of(json_patch({}, add(levels))), "400 BadRequest: exceeded max depth");
    const json::object deep = from(R"({"a":)" + nested(4000) + "}");
    EXPECT_EQ(text_of(json_patch(deep, value_from("[]"))), "400 BadRequest: exceeded max depth");
}

}  // namespace
}  // namespace sluice::sim
