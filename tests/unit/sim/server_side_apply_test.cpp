#include "documents.hpp"

namespace sluice::sim {
namespace {

const Instant noon{1'790'000'000'000};

json::object deployment(const std::string& spec) {
    return from(R"({"apiVersion":"apps/v1","kind":"Deployment",
                    "metadata":{"name":"web","namespace":"prod"},"spec":)" +
                spec + "}");
}

json::object applied(const json::object& live, const std::string& spec,
                     const std::string& manager) {
    const Patched patched =
        server_side_apply(live, deployment(spec), {.manager = manager, .at = noon});
    EXPECT_TRUE(patched) << text_of(patched);
    return patched.value_or(json::object{});
}

std::string spec_of(const json::object& document) {
    return json::serialize(*find(document, "/spec"));
}

std::string fields_of_manager(const json::object& document, const std::string& manager) {
    for (const json::value& entry : array_at(document, "/metadata/managedFields"))
        if (text_at(entry.as_object(), "/manager") == manager)
            return json::serialize(*find(entry.as_object(), "/fieldsV1"));
    return {};
}

std::string pod_spec(const std::string& containers) {
    return R"({"template":{"spec":{"containers":)" + containers + "}}}";
}

TEST(ServerSideApply, CreatesWhatIsNotThereYet) {
    const json::object created =
        applied({}, R"({"replicas":1,"template":{"metadata":{"labels":{"a":"b"}},
                        "spec":{"containers":[{"name":"a","ports":[{"containerPort":80}],
                                               "args":["x"]}],"volumes":[]}}})",
                "me");
    const json::object& entry = array_at(created, "/metadata/managedFields").front().as_object();
    EXPECT_EQ(text_at(entry, "/operation"), "Apply");
    EXPECT_EQ(fields_of_manager(created, "me"),
              R"({"f:spec":{"f:replicas":{},"f:template":{"f:metadata":{"f:labels":{"f:a":{}}},)"
              R"("f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:args":{},"f:name":{},)"
              R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},)"
              R"("f:containerPort":{}}}}}}}}})");
}

TEST(ServerSideApply, MergesWithWhatOthersHaveAndSharesWhatIsTheSame) {
    const json::object one = applied({}, R"({"replicas":1,"paused":false})", "one");
    const json::object two = applied(one, R"({"replicas":1,"minReadySeconds":5})", "two");
    EXPECT_EQ(spec_of(two), R"({"replicas":1,"paused":false,"minReadySeconds":5})");
    EXPECT_EQ(fields_of_manager(two, "one"), R"({"f:spec":{"f:paused":{},"f:replicas":{}}})");
    EXPECT_EQ(fields_of_manager(two, "two"),
              R"({"f:spec":{"f:minReadySeconds":{},"f:replicas":{}}})");
}

TEST(ServerSideApply, RemovesWhatItsManagerNoLongerApplies) {
    const json::object one = applied({}, R"({"replicas":1,"paused":false,
        "strategy":{"type":"Recreate"}})",
                                     "one");
    EXPECT_EQ(spec_of(applied(one, R"({"replicas":1})", "one")), R"({"replicas":1})");
    const json::object shared = applied(one, R"({"paused":false})", "two");
    EXPECT_EQ(spec_of(applied(shared, R"({"replicas":1})", "one")),
              R"({"replicas":1,"paused":false})");
}

TEST(ServerSideApply, RemovesAnEntryWithItsDefaultsButNotThoseOfOthers) {
    json::object live =
        applied({}, pod_spec(R"([{"name":"a","image":"1"},{"name":"b","image":"1"}])"), "one");
    json::object defaulted = live;
    json::array& containers = find(defaulted, "/spec/template/spec/containers")->as_array();
    for (json::value& container : containers)
        container.as_object()["imagePullPolicy"] = "Always";
    live =
        applied(defaulted, pod_spec(R"([{"name":"b","env":[{"name":"X","value":"1"}]}])"), "two");
    EXPECT_EQ(spec_of(applied(live, pod_spec("[]"), "one")),
              pod_spec(R"([{"name":"b","imagePullPolicy":"Always",)"
                       R"("env":[{"name":"X","value":"1"}]}])"));
}

TEST(ServerSideApply, ConflictsOverAFieldOfSomebodyElse) {
    json::object live = with_managed_fields({}, deployment(R"({"replicas":1})"),
                                            {.manager = "kubectl-edit", .at = noon});
    const Patched patched =
        server_side_apply(live, deployment(R"({"replicas":2})"), {.manager = "me", .at = noon});
    EXPECT_EQ(text_of(patched),
              "409 Conflict: Apply failed with 1 conflict: conflict with \"kubectl-edit\" using "
              "apps/v1: .spec.replicas");
    EXPECT_EQ(json::serialize(patched.error().causes),
              R"([{"reason":"FieldManagerConflict",)"
              R"("message":"conflict with \"kubectl-edit\" using apps/v1",)"
              R"("field":".spec.replicas"}])");
}

TEST(ServerSideApply, NamesEveryConflictByManager) {
    json::object live = applied({}, R"({"paused":true,"template":{"spec":{"containers":[
                        {"name":"a","ports":[{"containerPort":1,"name":"x"}]}]}}})",
                                "zoe");
    json::object scaled = live;
    set(scaled, "/spec/replicas", 1);
    live =
        with_managed_fields(live, scaled, {.manager = "hpa", .subresource = "scale", .at = noon});
    const Patched patched = server_side_apply(
        live, deployment(R"({"replicas":2,"paused":false,"template":{"spec":{"containers":[
                              {"name":"a","ports":[{"containerPort":1,"name":"y"}]}]}}})"),
        {.manager = "me", .at = noon});
    ASSERT_FALSE(patched);
    EXPECT_EQ(patched.error().message,
              "Apply failed with 3 conflicts: conflicts with \"hpa\" with subresource \"scale\" "
              "using apps/v1:\n- .spec.replicas\nconflicts with \"zoe\":\n- .spec.paused\n- "
              ".spec.template.spec.containers[name=\"a\"]"
              ".ports[containerPort=1,protocol=\"TCP\"].name");
    EXPECT_EQ(patched.error().causes.size(), 3U);
}

TEST(ServerSideApply, TakesFieldsByForce) {
    const json::object live = with_managed_fields({}, deployment(R"({"replicas":1})"),
                                                  {.manager = "kubectl-edit", .at = noon});
    const Patched patched = server_side_apply(live, deployment(R"({"replicas":2})"),
                                              {.manager = "me", .force = true, .at = noon});
    ASSERT_TRUE(patched) << text_of(patched);
    EXPECT_EQ(spec_of(*patched), R"({"replicas":2})");
    EXPECT_EQ(fields_of_manager(*patched, "kubectl-edit"), "");
    EXPECT_EQ(fields_of_manager(*patched, "me"), R"({"f:spec":{"f:replicas":{}}})");
}

TEST(ServerSideApply, AgainChangesNothing) {
    const json::object once = applied({}, R"({"replicas":1})", "me");
    const Patched again = server_side_apply(once, deployment(R"({"replicas":1})"),
                                            {.manager = "me", .at = noon + 1h});
    ASSERT_TRUE(again);
    EXPECT_TRUE(same(*again, once)) << json::serialize(*again);
}

TEST(ServerSideApply, CountsAnUntrackedObjectAsWrittenBefore) {
    const Patched patched =
        server_side_apply(deployment(R"({"replicas":1,"paused":true})"),
                          deployment(R"({"replicas":2})"), {.manager = "me", .at = noon});
    EXPECT_EQ(text_of(patched),
              "409 Conflict: Apply failed with 1 conflict: conflict with \"before-first-apply\" "
              "using apps/v1: .spec.replicas");
}

TEST(ServerSideApply, KeepsTheOrderOfWhatIsApplied) {
    const struct {
        const char* live;
        const char* applied;
        const char* wanted;
    } rows[] = {
        {R"([{"name":"a"},{"name":"x"},{"name":"b"}])", R"([{"name":"b"},{"name":"a"}])",
         R"([{"name":"x"},{"name":"b"},{"name":"a"}])"},
        {R"([{"name":"a"},{"name":"b"}])", R"([{"name":"c"}])",
         R"([{"name":"a"},{"name":"b"},{"name":"c"}])"},
        {R"([{"name":"a"},{"name":"x"}])", R"([{"name":"c"},{"name":"a"}])",
         R"([{"name":"c"},{"name":"a"},{"name":"x"}])"},
    };
    for (const auto& [live, ours, wanted] : rows) {
        const json::object before = applied({}, pod_spec(live), "one");
        EXPECT_EQ(spec_of(applied(before, pod_spec(ours), "two")), pod_spec(wanted)) << ours;
    }
}

TEST(ServerSideApply, ReplacesWhatIsOnePiece) {
    const json::object one = applied({}, R"({"selector":{"matchLabels":{"a":"1","b":"2"}}})", "me");
    EXPECT_EQ(fields_of_manager(one, "me"), R"({"f:spec":{"f:selector":{}}})");
    EXPECT_EQ(spec_of(applied(one, R"({"selector":{"matchLabels":{"a":"1"}}})", "me")),
              R"({"selector":{"matchLabels":{"a":"1"}}})");
    const Patched patched = server_side_apply(
        one, deployment(R"({"selector":{"matchLabels":{"c":"3"}}})"), {.manager = "x", .at = noon});
    EXPECT_EQ(patched.error().message,
              "Apply failed with 1 conflict: conflict with \"me\": .spec.selector");
}

TEST(ServerSideApply, SaysWhatIsWrong) {
    const auto refusal = [](const std::string& spec) {
        return text_of(server_side_apply({}, deployment(spec), {.manager = "me", .at = noon}));
    };
    const std::string typed =
        "500 : failed to create typed patch object (prod/web; apps/v1, Kind=Deployment): "
        ".spec.template.spec.containers";
    EXPECT_EQ(refusal(pod_spec(R"([{"image":"x"}])")),
              typed +
                  ": element 0: associative list with keys has an element that omits key "
                  "field \"name\" (and doesn't have default value)");
    EXPECT_EQ(refusal(pod_spec(R"([{"name":"a"},{"name":"a"}])")),
              typed + ": duplicate entries for key [name=\"a\"]");
    json::object claimed = deployment("{}");
    set(claimed, "/metadata/managedFields", json::array{});
    EXPECT_EQ(text_of(server_side_apply({}, claimed, {.manager = "me", .at = noon})),
              "400 BadRequest: metadata.managedFields must be nil");
    EXPECT_EQ(refusal(nested(200)), "400 BadRequest: exceeded max depth");
}

TEST(ServerSideApply, SurvivesWrongTypesEverywhere) {
    const json::object live = applied({}, pod_spec(R"([{"name":"a"}])"), "one");
    for (const char* spec : {
             "null",
             "[]",
             R"("x")",
             R"({"replicas":null,"template":[]})",
             R"({"template":{"spec":{"containers":{}}}})",
             R"({"template":{"spec":{"containers":[1]}}})",
             R"({"template":{"spec":{"containers":[{"name":null}]}}})",
             R"({"template":{"spec":{"containers":[{"name":"a","ports":"x"}]}}})",
             R"({"template":{"metadata":{"finalizers":[{}]}}})",
             R"({"selector":7})",
         }) {
        const json::object document = deployment(spec);
        const Patched created = server_side_apply({}, document, {.manager = "m", .at = noon});
        const Patched changed =
            server_side_apply(live, document, {.manager = "m", .force = true, .at = noon});
        EXPECT_EQ(created.has_value(), changed.has_value()) << spec;
        if (changed) {
            EXPECT_TRUE(server_side_apply(*changed, deployment("{}"), {.manager = "m", .at = noon}))
                << spec;
        }
    }
    EXPECT_TRUE(server_side_apply({}, {}, {.manager = "m", .at = noon}));
    EXPECT_TRUE(server_side_apply(from(R"({"metadata":7})"), {}, {.manager = "m", .at = noon}));
}

}  // namespace
}  // namespace sluice::sim
