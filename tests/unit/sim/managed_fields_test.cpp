#include "documents.hpp"

namespace sluice::sim {
namespace {

const Instant noon{1'790'000'000'000};
const std::string noon_text = to_rfc3339(noon);

// The fields of one manager, as text; empty if it has none.
std::string fields_of_manager(const json::object& document, const std::string& manager) {
    for (const json::value& entry : array_at(document, "/metadata/managedFields"))
        if (text_at(entry.as_object(), "/manager") == manager)
            return json::serialize(*find(entry.as_object(), "/fieldsV1"));
    return {};
}

std::size_t managers_of(const json::object& document) {
    return array_at(document, "/metadata/managedFields").size();
}

const std::string stateful_set = R"({"apiVersion":"apps/v1","kind":"StatefulSet",
    "metadata":{"name":"db","namespace":"prod","labels":{"app":"db"}},
    "spec":{"replicas":3,"selector":{"matchLabels":{"app":"db"}},
            "template":{"metadata":{"labels":{"app":"db"}},
                        "spec":{"containers":[{"name":"db","image":"db:1",
                                               "ports":[{"containerPort":80}]}]}},
            "volumeClaimTemplates":[{"metadata":{"name":"data"}}]}})";

TEST(ManagedFields, NameEveryFieldThatACreateSets) {
    const json::object created =
        with_managed_fields({}, from(stateful_set), {.manager = "kubectl-create", .at = noon});
    ASSERT_EQ(managers_of(created), 1U);
    const json::object& entry = array_at(created, "/metadata/managedFields").front().as_object();
    EXPECT_EQ(text_at(entry, "/manager"), "kubectl-create");
    EXPECT_EQ(text_at(entry, "/operation"), "Update");
    EXPECT_EQ(text_at(entry, "/apiVersion"), "apps/v1");
    EXPECT_EQ(text_at(entry, "/time"), noon_text);
    EXPECT_EQ(text_at(entry, "/fieldsType"), "FieldsV1");
    EXPECT_FALSE(has(entry, "/subresource"));
    EXPECT_EQ(
        json::serialize(*find(entry, "/fieldsV1")),
        R"({"f:metadata":{"f:labels":{".":{},"f:app":{}}},)"
        R"("f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:metadata":{"f:labels":)"
        R"({".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"db\"}":{".":{},)"
        R"("f:image":{},"f:name":{},"f:ports":{".":{},)"
        R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}},)"
        R"("f:volumeClaimTemplates":{}}})");
}

TEST(ManagedFields, GoToWhoeverWroteLast) {
    const json::object created =
        with_managed_fields({}, from(stateful_set), {.manager = "kubectl-create", .at = noon});
    json::object scaled = created;
    set(scaled, "/spec/replicas", 5);
    const json::object after =
        with_managed_fields(created, scaled, {.manager = "kubectl-scale", .at = noon + 1s});
    EXPECT_EQ(fields_of_manager(after, "kubectl-scale"), R"({"f:spec":{"f:replicas":{}}})");
    EXPECT_EQ(fields_of_manager(after, "kubectl-create").find("f:replicas"), std::string::npos);
    EXPECT_NE(fields_of_manager(after, "kubectl-create").find("f:selector"), std::string::npos);
}

TEST(ManagedFields, KnowTheSubresourceTheyWereWrittenBy) {
    const json::object created =
        with_managed_fields({}, from(stateful_set), {.manager = "kubectl-create", .at = noon});
    json::object reported = created;
    set(reported, "/status/readyReplicas", 1);
    const json::object after = with_managed_fields(
        created, reported, {.manager = "controller", .subresource = "status", .at = noon + 1s});
    EXPECT_EQ(fields_of_manager(after, "controller"), R"({"f:status":{"f:readyReplicas":{}}})");
    EXPECT_EQ(text_at(after, "/metadata/managedFields/1/subresource"), "status");
}

TEST(ManagedFields, LoseWhatIsRemoved) {
    const json::object created = with_managed_fields(
        {}, from(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"finalizers":["a/b","c/d"]},
                     "data":{"a":"1","b":"2"}})"),
        {.manager = "one", .at = noon});
    EXPECT_EQ(fields_of_manager(created, "one"),
              R"({"f:data":{".":{},"f:a":{},"f:b":{}},)"
              R"("f:metadata":{"f:finalizers":{".":{},"v:\"a/b\"":{},"v:\"c/d\"":{}}}})");
    json::object less = created;
    erase(less, "/data/a");
    set(less, "/metadata/finalizers", json::array{"c/d"});
    const json::object after = with_managed_fields(created, less, {.manager = "two", .at = noon});
    EXPECT_EQ(
        fields_of_manager(after, "one"),
        R"({"f:data":{".":{},"f:b":{}},"f:metadata":{"f:finalizers":{".":{},"v:\"c/d\"":{}}}})");
    EXPECT_EQ(fields_of_manager(after, "two"), "");
    json::object none = after;
    erase(none, "/data");
    erase(none, "/metadata/finalizers");
    EXPECT_FALSE(has(with_managed_fields(after, none, {.manager = "two", .at = noon}),
                     "/metadata/managedFields"));
}

TEST(ManagedFields, StayAsTheyAreWhenNothingChanges) {
    const json::object created =
        with_managed_fields({}, from(stateful_set), {.manager = "one", .at = noon});
    EXPECT_TRUE(
        same(with_managed_fields(created, created, {.manager = "two", .at = noon + 1s}), created));
    json::object bare = created;
    erase(bare, "/metadata/managedFields");
    EXPECT_TRUE(
        same(with_managed_fields(created, bare, {.manager = "two", .at = noon + 1s}), created));
    json::object touched = created;
    set(touched, "/metadata/resourceVersion", "7");
    set(touched, "/metadata/generation", 2);
    set(touched, "/metadata/uid", "u");
    set(touched, "/metadata/creationTimestamp", json::string{noon_text});
    set(touched, "/metadata/deletionTimestamp", json::string{noon_text});
    const json::object after =
        with_managed_fields(created, touched, {.manager = "two", .at = noon + 1s});
    EXPECT_TRUE(
        same(*find(after, "/metadata/managedFields"), *find(created, "/metadata/managedFields")));
}

TEST(ManagedFields, CanBeSentAndForgottenByAClient) {
    const json::object created =
        with_managed_fields({}, from(stateful_set), {.manager = "one", .at = noon});
    json::object forgotten = created;
    set(forgotten, "/metadata/managedFields", value_from("[{}]"));
    EXPECT_FALSE(has(with_managed_fields(created, forgotten, {.manager = "two", .at = noon}),
                     "/metadata/managedFields"));
    json::object renamed = created;
    json::object& entry = find(renamed, "/metadata/managedFields")->as_array().front().as_object();
    entry["manager"] = "else";
    const json::object after =
        with_managed_fields(created, renamed, {.manager = "two", .at = noon});
    EXPECT_EQ(managers_of(created), 1U);
    EXPECT_EQ(fields_of_manager(created, "one"), fields_of_manager(after, "else"));
}

TEST(ManagedFields, TreatTheListsOfACustomKindAsOnePiece) {
    const json::object created =
        with_managed_fields({}, from(R"({"apiVersion":"example.com/v1","kind":"Pod",
                     "spec":{"containers":[{"name":"a"}],"empty":{},"deep":{"x":1}}})"),
                            {.manager = "one", .at = noon});
    EXPECT_EQ(fields_of_manager(created, "one"),
              R"({"f:spec":{".":{},"f:containers":{},"f:deep":{".":{},"f:x":{}},"f:empty":{}}})");
}

TEST(ManagedFields, OfManyUpdatersAreBounded) {
    const json::object bare =
        from(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{},"data":{"key":"x"}})");
    json::object document = with_managed_fields({}, bare, {.manager = "m", .at = noon});
    for (int i = 0; i < 30; ++i) {
        json::object next = document;
        set(next, "/data/key" + std::to_string(i), "x");
        document = with_managed_fields(document, next,
                                       {.manager = "m" + std::to_string(i), .at = noon + 1s * i});
    }
    EXPECT_EQ(managers_of(document), 10U);
    EXPECT_NE(fields_of_manager(document, "ancient-changes").find("f:key20"), std::string::npos);
    EXPECT_EQ(fields_of_manager(document, "m29"), R"({"f:data":{"f:key29":{}}})");
}

TEST(ManagedFields, SurviveWrongTypesEverywhere) {
    const json::object sane =
        with_managed_fields({}, from(stateful_set), {.manager = "one", .at = noon});
    for (const char* text : {
             R"({"apiVersion":1,"kind":[],"metadata":7,"spec":null})",
             R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":[],"spec":"x"})",
             R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":{}},
                 "spec":{"containers":{"name":"a"}}})",
             R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[1,null]},
                 "spec":{"containers":[1,null,[],{"name":{}},{"name":"a"},{"name":"a"}]}})",
             R"({"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":[[],{}],
                 "managedFields":[{"manager":"x","operation":"Update",
                                   "fieldsV1":{"f:a":1,"zzz":{}}}]}})",
             R"({"apiVersion":"v1","kind":"Pod","metadata":{"managedFields":[
                 {"manager":7,"operation":"Eat","fieldsV1":{"f:a":{}}}]}})",
         }) {
        const json::object wild = from(text);
        EXPECT_TRUE(has(with_managed_fields(sane, wild, {.manager = "m", .at = noon}), "/kind"));
        EXPECT_TRUE(has(with_managed_fields(wild, sane, {.manager = "m", .at = noon}), "/kind"));
        EXPECT_TRUE(has(with_managed_fields({}, wild, {.manager = "m", .at = noon}), "/kind"));
    }
    const json::object deep = from(R"({"a":)" + nested(4000) + "}");
    EXPECT_TRUE(has(with_managed_fields({}, deep, {.manager = "m", .at = noon}), "/a"));
}

}  // namespace
}  // namespace sluice::sim
