#include "sim/api/schema.hpp"

#include "documents.hpp"

namespace sluice::sim {
namespace {

// The schema of an object whose spec has this one.
json::object with_spec(const std::string& spec) {
    return from(R"({"type":"object","properties":{"spec":)" + spec + "}}");
}

std::string texts_of(const std::vector<FieldProblem>& found) {
    std::string text;
    for (const FieldProblem& problem : found)
        text += (text.empty() ? "" : "\n") + problem.field + ": " + problem.message;
    return text;
}

// The problems of one field, spec.x, that has this schema and value.
std::string problems_of(const std::string& schema, const std::string& value) {
    const Schema whole{with_spec(R"({"type":"object","properties":{"x":)" + schema + "}}")};
    return texts_of(problems(whole, from(R"({"spec":{"x":)" + value + "}}")));
}

TEST(SchemaProblems, AreWordedLikeTheApiServersOwn) {
    const struct {
        const char* schema;
        const char* value;
        const char* wanted;
    } rows[] = {
        {R"({"type":"integer"})", R"("1")",
         R"(spec.x: Invalid value: "string": spec.x in body must be of type integer: "string")"},
        {R"({"type":"string"})", "7",
         R"(spec.x: Invalid value: "integer": spec.x in body must be of type string: "integer")"},
        {R"({"type":"string"})", "null",
         R"(spec.x: Invalid value: "null": spec.x in body must be of type string: "null")"},
        {R"({"type":"integer"})", "1.5",
         R"(spec.x: Invalid value: "number": spec.x in body must be of type integer: "number")"},
        {R"({"type":"object"})", "[]",
         R"(spec.x: Invalid value: "array": spec.x in body must be of type object: "array")"},
        {R"({"type":"array"})", "{}",
         R"(spec.x: Invalid value: "object": spec.x in body must be of type array: "object")"},
        {R"({"x-kubernetes-int-or-string":true})", "true",
         R"(spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: )"
         R"("boolean")"},
        {R"({"type":"object","required":["a","b"]})", R"({"b":1})", "spec.x.a: Required value"},
        {R"({"type":"string","enum":["A","B"]})", R"("x")",
         R"(spec.x: Unsupported value: "x": supported values: "A", "B")"},
        {R"({"type":"integer","enum":[1,2]})", "3",
         R"(spec.x: Unsupported value: 3: supported values: "1", "2")"},
        {R"({"type":"integer","minimum":1})", "0",
         "spec.x: Invalid value: 0: spec.x in body should be greater than or equal to 1"},
        {R"({"type":"integer","minimum":1,"exclusiveMinimum":true})", "1",
         "spec.x: Invalid value: 1: spec.x in body should be greater than 1"},
        {R"({"type":"integer","maximum":100})", "101",
         "spec.x: Invalid value: 101: spec.x in body should be less than or equal to 100"},
        {R"({"type":"number","maximum":1.5,"exclusiveMaximum":true})", "1.5",
         "spec.x: Invalid value: 1.5: spec.x in body should be less than 1.5"},
        {R"({"type":"number","maximum":100000.0})", "1000000.0",
         "spec.x: Invalid value: 1000000: spec.x in body should be less than or equal to 100000"},
        {R"({"type":"integer","multipleOf":5})", "7",
         "spec.x: Invalid value: 7: spec.x in body should be a multiple of 5"},
        {R"({"type":"string","minLength":1})", R"("")",
         R"(spec.x: Invalid value: "": spec.x in body should be at least 1 chars long)"},
        {R"({"type":"string","maxLength":2})", R"("äöü")",
         "spec.x: Too long: may not be more than 2 bytes"},
        {R"({"type":"string","pattern":"^[a-z]+$"})", R"("A1")",
         R"(spec.x: Invalid value: "A1": spec.x in body should match '^[a-z]+$')"},
        {R"({"type":"string","format":"date-time"})", R"("yesterday")",
         R"(spec.x: Invalid value: "yesterday": spec.x in body must be of type date-time: )"
         R"("yesterday")"},
        {R"({"type":"array","minItems":1})", "[]",
         "spec.x: Invalid value: 0: spec.x in body should have at least 1 items"},
        {R"({"type":"array","maxItems":1})", "[1,2]",
         "spec.x: Too many: 2: must have at most 1 items"},
        {R"({"type":"array","uniqueItems":true})", "[1,1]",
         R"(spec.x: Invalid value: "": spec.x in body shouldn't contain duplicates)"},
        {R"({"type":"object","minProperties":1})", "{}",
         "spec.x: Invalid value: 0: spec.x in body should have at least 1 properties"},
        {R"({"type":"object","maxProperties":1})", R"({"a":1,"b":2})",
         "spec.x: Too many: 2: must have at most 1 items"},
        {R"({"type":"array","items":{"type":"string"}})", R"(["a",1])",
         R"(spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: )"
         R"("integer")"},
        {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"k":1})",
         R"(spec.x.k: Invalid value: "integer": spec.x.k in body must be of type string: )"
         R"("integer")"},
        {R"({"type":"object","not":{"required":["a"]}})", R"({"a":1})",
         R"(<nil>: Invalid value: "": "spec.x" must not validate the schema (not))"},
        {R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1,"b":2})",
         R"(<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). )"
         R"(Found 2 valid alternatives)"},
        {R"({"oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({})",
         R"(<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). )"
         "Found none valid\nspec.x.a: Required value"},
        {R"({"anyOf":[{"minimum":10},{"maximum":1}]})", "5",
         R"(<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf))"
         "\nspec.x: Invalid value: 5: spec.x in body should be greater than or equal to 10"},
        {R"({"allOf":[{"minimum":10},{"maximum":7}]})", "8",
         "spec.x: Invalid value: 8: spec.x in body should be greater than or equal to 10\n"
         "spec.x: Invalid value: 8: spec.x in body should be less than or equal to 7\n"
         R"(<nil>: Invalid value: "": "spec.x" must validate all the schemas (allOf). )"
         "None validated"},
        {R"({"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"]})",
         R"([{"n":"a"},{"n":"b"},{"n":"a"},{"n":"a"}])",
         R"(spec.x[2]: Duplicate value: {"n":"a"})"},
        {R"({"type":"array","x-kubernetes-list-type":"set"})", R"(["a","a"])",
         R"(spec.x[1]: Duplicate value: "a")"},
        {R"({"type":"object","x-kubernetes-embedded-resource":true})", R"({"kind":"Pod"})",
         "spec.x.apiVersion: Required value: must not be empty"},
    };
    for (const auto& [schema, value, wanted] : rows)
        EXPECT_EQ(problems_of(schema, value), wanted) << schema << " " << value;
}

TEST(SchemaProblems, AreNotFoundWhereThereAreNone) {
    const struct {
        const char* schema;
        const char* value;
    } rows[] = {
        {R"({"type":"integer"})", "1.0"},
        {R"({"type":"number"})", "1"},
        {R"({"type":"string","nullable":true,"enum":["A"]})", "null"},
        {R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]})",
         R"("50%")"},
        {R"({"x-kubernetes-int-or-string":true})", "7"},
        {R"({"type":"string","maxLength":3})", R"("äöü")"},
        {R"({"type":"string","pattern":"b"})", R"("abc")"},
        {R"({"type":"string","pattern":"(unclosed"})", R"("abc")"},
        {R"({"type":"string","format":"date-time"})", R"("2026-02-28T23:59:59.123+01:00")"},
        {R"({"type":"string","format":"int99"})", R"("abc")"},
        {R"({"type":"integer","minimum":1,"maximum":1})", "1"},
        {R"({"type":"object","required":["a"]})", R"({"a":null})"},
        {R"({"oneOf":[{"type":"integer"},{"type":"string"}]})", "1"},
        {R"({"allOf":[{"minimum":1},{"maximum":9}]})", "5"},
        {R"({"not":{"type":"string"}})", "5"},
        {R"({})", R"({"anything":[1]})"},
        {R"({"x-kubernetes-validations":[{"rule":"false"}]})", "1"},
    };
    for (const auto& [schema, value] : rows)
        EXPECT_EQ(problems_of(schema, value), "") << schema << " " << value;
}

TEST(SchemaProblems, CarryTheReasonOfTheirKind) {
    const auto reason = [](const std::string& schema, const std::string& value) {
        const auto found = problems(Schema{with_spec(schema)}, from(R"({"spec":)" + value + "}"));
        return found.empty() ? std::string{} : found.front().reason;
    };
    EXPECT_EQ(reason(R"({"type":"string"})", "1"), "FieldValueTypeInvalid");
    EXPECT_EQ(reason(R"({"minimum":2})", "1"), "FieldValueInvalid");
    EXPECT_EQ(reason(R"({"enum":[2]})", "1"), "FieldValueNotSupported");
    EXPECT_EQ(reason(R"({"required":["a"]})", "{}"), "FieldValueRequired");
    EXPECT_EQ(reason(R"({"maxLength":0})", R"("a")"), "FieldValueTooLong");
    EXPECT_EQ(reason(R"({"maxItems":0})", "[1]"), "FieldValueTooMany");
    EXPECT_EQ(reason(R"({"x-kubernetes-list-type":"set"})", "[1,1]"), "FieldValueDuplicate");
}

TEST(SchemaProblems, KnowDurations) {
    const std::string schema = R"({"type":"string","format":"duration"})";
    for (const char* text : {"30s", "1h30m", "1.5h", "-2m", "0", "250ms", ".5s", "3 days",
                             "1 hour 2 min", "2w", "10us", "10µs"})
        EXPECT_EQ(problems_of(schema, json::serialize(json::string{text})), "") << text;
    for (const char* text : {"", "30", "s", "1y", "abc", "1s ago", "--1s", "1..5s", "+", "1h 30"})
        EXPECT_NE(problems_of(schema, json::serialize(json::string{text})), "") << text;
}

TEST(SchemaProblems, KnowDates) {
    for (const char* text : {"2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
                             "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z",
                             "2026-01-00T00:00:00Z", "", "x", "2026-01-01T00:00:00Zx"})
        EXPECT_NE(problems_of(R"({"format":"date-time"})", json::serialize(json::string{text})), "")
            << text;
    EXPECT_EQ(problems_of(R"({"format":"date"})", R"("2024-02-29")"), "");
    EXPECT_NE(problems_of(R"({"format":"date"})", R"("2024-02-29x")"), "");
}

TEST(SchemaProblems, AreFoundByPatternsWhereverTheyStand) {
    const struct {
        const char* schema;
        const char* good;
        const char* bad;
    } rows[] = {
        {R"({"pattern":"^\\p{Lu}[[:alnum:]]*$"})", R"("Éa1")", R"("éa1")"},
        {R"({"items":{"pattern":"^a"}})", R"(["a","ab"])", R"(["a","b"])"},
        {R"({"additionalProperties":{"pattern":"^a"}})", R"({"k":"a"})", R"({"k":"b"})"},
        {R"({"anyOf":[{"pattern":"^a"},{"pattern":"^b"}]})", R"("b")", R"("c")"},
        {R"({"not":{"pattern":"^a"}})", R"("b")", R"("a")"},
        {R"({"properties":{"pattern":{"pattern":"^a"}}})", R"({"pattern":"a"})",
         R"({"pattern":"b"})"},
    };
    for (const auto& [schema, good, bad] : rows) {
        EXPECT_EQ(problems_of(schema, good), "") << schema << " " << good;
        EXPECT_NE(problems_of(schema, bad), "") << schema << " " << bad;
    }
}

TEST(SchemaProblems, SurviveHostilePatternsAndTexts) {
    const std::string many(4000, 'a');
    EXPECT_NE(problems_of(R"({"pattern":"^(a+)+$"})", "\"" + many + "!\""), "");
    EXPECT_NE(problems_of(R"({"pattern":"^(a|aa)*b$"})", "\"" + many + "\""), "");
    EXPECT_EQ(problems_of(R"({"pattern":"^a*$"})", "\"" + many + "\""), "");
    EXPECT_EQ(problems_of(R"({"pattern":")" + std::string(5000, '(') + "\"}", R"("a")"), "");
}

TEST(SchemaProblems, SurviveASchemaOfWrongTypes) {
    for (const char* schema : {
             R"({"type":7,"properties":[],"items":"x","required":{},"enum":7})",
             R"({"properties":{"x":7},"required":[7,null],"anyOf":[7],"oneOf":{},"allOf":"x"})",
             R"({"minimum":"1","maxLength":-1,"minItems":1.5,"pattern":[],"format":{},"not":1})",
             R"({"multipleOf":0,"minProperties":1e300,"additionalProperties":7})",
             R"({"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[7,{}]})",
         })
        for (const char* value :
             {"null", "1", R"("a")", "[1,null,{}]", R"({"x":{"y":1}})", "1e300"}) {
            const json::object spec = from(R"({"spec":)" + std::string{value} + "}");
            const json::object whole = with_spec(schema);
            EXPECT_NO_THROW(problems(Schema{whole}, spec)) << schema << value;
            EXPECT_NO_THROW(pruned(whole, spec)) << schema << value;
            EXPECT_NO_THROW(with_defaults(whole, spec)) << schema << value;
        }
}

TEST(SchemaProblems, EndAtADepth) {
    std::string schema = R"({"type":"string"})";
    for (int i = 0; i < 300; ++i)
        schema = R"({"items":)" + schema + "}";
    const json::object whole = with_spec(schema);
    const json::object deep = from(R"({"spec":)" + nested(300) + "}");
    EXPECT_NE(texts_of(problems(Schema{whole}, deep)).find("nested too deeply"), std::string::npos);
    EXPECT_NO_THROW(pruned(whole, deep));
    EXPECT_NO_THROW(with_defaults(whole, deep));
}

TEST(Pruning, DropsWhatTheSchemaDoesNotKnow) {
    const struct {
        const char* spec;
        const char* before;
        const char* after;
    } rows[] = {
        {R"({"properties":{"a":{"type":"string"}}})", R"({"a":"x","b":1})", R"({"a":"x"})"},
        {R"({"properties":{"a":{"type":"object"}}})", R"({"a":{"b":1}})", R"({"a":{}})"},
        {R"({"properties":{"a":{"items":{"properties":{"b":{}}}}}})", R"({"a":[{"b":1,"c":2},3]})",
         R"({"a":[{"b":1},3]})"},
        {R"({"additionalProperties":{"properties":{"b":{}}}})", R"({"x":{"b":1,"c":2}})",
         R"({"x":{"b":1}})"},
        {R"({"x-kubernetes-preserve-unknown-fields":true,"properties":{"a":{"type":"object"}}})",
         R"({"a":{"gone":1},"b":{"kept":1}})", R"({"a":{},"b":{"kept":1}})"},
        {R"({"x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}})",
         R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"a":1},"b":1})",
         R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{}})"},
        {R"({})", R"({"apiVersion":"v1","a":1})", R"({})"},
        {R"({"x-kubernetes-preserve-unknown-fields":true,"items":{"properties":{"a":{}}}})",
         R"([{"a":1,"b":2}])", R"([{"a":1,"b":2}])"},
    };
    for (const auto& [spec, before, after] : rows) {
        const json::object object =
            pruned(with_spec(spec), from(R"({"spec":)" + std::string{before} + "}"));
        EXPECT_TRUE(same(*find(object, "/spec"), value_from(after)))
            << spec << " leaves " << json::serialize(object);
    }
}

TEST(Pruning, LeavesWhatEveryObjectHas) {
    const json::object object = from(R"({"apiVersion":"a/v1","kind":"K","metadata":{"name":"n",
        "labels":{"a":"b"}},"spec":{},"other":1})");
    const json::object left = pruned(with_spec(R"({"type":"object"})"), object);
    EXPECT_TRUE(same(left, from(R"({"apiVersion":"a/v1","kind":"K","metadata":{"name":"n",
        "labels":{"a":"b"}},"spec":{}})")));
}

TEST(Defaulting, FillsWhatIsNotThere) {
    const struct {
        const char* spec;
        const char* before;
        const char* after;
    } rows[] = {
        {R"({"properties":{"a":{"default":1},"b":{"default":2}}})", R"({"a":7})",
         R"({"a":7,"b":2})"},
        {R"({"properties":{"a":{"default":{},"properties":{"b":{"default":[1]}}}}})", "{}",
         R"({"a":{"b":[1]}})"},
        {R"({"properties":{"a":{"properties":{"b":{"default":1}}}}})", "{}", "{}"},
        {R"({"properties":{"a":{"items":{"properties":{"b":{"default":1}}}}}})",
         R"({"a":[{},{"b":2},3]})", R"({"a":[{"b":1},{"b":2},3]})"},
        {R"({"additionalProperties":{"properties":{"b":{"default":1}}}})",
         R"({"x":{},"y":{"b":2}})", R"({"x":{"b":1},"y":{"b":2}})"},
        {R"({"properties":{"a":{"default":1},"b":{},"c":{"nullable":true,"default":2}}})",
         R"({"a":null,"b":null,"c":null,"d":null})", R"({"a":1,"c":null,"d":null})"},
        {R"({"properties":{"a":{"default":false}}})", R"({"a":true})", R"({"a":true})"},
    };
    for (const auto& [spec, before, after] : rows) {
        const json::object object =
            with_defaults(with_spec(spec), from(R"({"spec":)" + std::string{before} + "}"));
        EXPECT_TRUE(same(*find(object, "/spec"), value_from(after)))
            << spec << " makes " << json::serialize(object);
    }
}

TEST(Defaulting, LeavesMetadataAlone) {
    const json::object schema = from(R"({"properties":{"metadata":{"default":{"name":"x"},
        "properties":{"name":{"default":"y"}}},"kind":{"default":"K"},"spec":{"default":{}}}})");
    EXPECT_TRUE(same(with_defaults(schema, {}), from(R"({"spec":{}})")));
    EXPECT_TRUE(same(with_defaults(schema, from(R"({"metadata":{}})")),
                     from(R"({"metadata":{},"spec":{}})")));
}

}  // namespace
}  // namespace sluice::sim
