#include "documents.hpp"
#include "sim/api/shapes.hpp"

namespace sluice::sim {
namespace {

// A Deployment with this pod spec.
json::object deployment(const std::string& pod_spec) {
    return from(R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":)" +
                pod_spec + "}}}");
}

// The pod spec that a patch of it leaves, or the refusal.
std::string patched_pod_spec(const std::string& pod_spec, const std::string& patch) {
    const Patched patched = strategic_merge_patch(
        deployment(pod_spec), value_from(R"({"spec":{"template":{"spec":)" + patch + "}}}"));
    return patched ? json::serialize(*find(*patched, "/spec/template/spec")) : text_of(patched);
}

void expect_pod_spec(const std::string& pod_spec, const std::string& patch,
                     const std::string& wanted) {
    const std::string is = patched_pod_spec(pod_spec, patch);
    ASSERT_TRUE(is.starts_with('{')) << is;
    EXPECT_TRUE(same(value_from(is), value_from(wanted)))
        << "is     " << is << "\nwanted " << wanted;
}

TEST(StrategicMerge, MergesListsByTheirKeys) {
    const struct {
        const char* pod_spec;
        const char* patch;
        const char* wanted;
    } rows[] = {
        {R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
         R"({"containers":[{"name":"b","image":"2"}]})",
         R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]})"},
        {R"({"containers":[{"name":"a","env":[{"name":"X","value":"1"},{"name":"Y"}]}]})",
         R"({"containers":[{"name":"a","env":[{"name":"Y","value":"2"},{"name":"X"}]}]})",
         R"({"containers":[{"name":"a","env":[{"name":"Y","value":"2"},
                                              {"name":"X","value":"1"}]}]})"},
        {R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"web"}]}]})",
         R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"www"}]}]})",
         R"({"containers":[{"name":"a","ports":[{"containerPort":80,"name":"www"}]}]})"},
        {R"({"containers":[{"name":"a","volumeMounts":[{"mountPath":"/d","name":"x"}]}]})",
         R"({"containers":[{"name":"a","volumeMounts":[{"mountPath":"/d","readOnly":true}]}]})",
         R"({"containers":[{"name":"a","volumeMounts":[
                {"mountPath":"/d","name":"x","readOnly":true}]}]})"},
        {R"({"tolerations":[{"key":"a"}]})", R"({"tolerations":[{"key":"b"}]})",
         R"({"tolerations":[{"key":"b"}]})"},
        {R"({"imagePullSecrets":[{"name":"a"}]})", R"({"imagePullSecrets":[{"name":"b"}]})",
         R"({"imagePullSecrets":[{"name":"b"},{"name":"a"}]})"},
        {R"({"hostAliases":[{"ip":"::1","hostnames":["a"]}]})",
         R"({"hostAliases":[{"ip":"::1","hostnames":["b"]}]})",
         R"({"hostAliases":[{"ip":"::1","hostnames":["b"]}]})"},
        {R"({"containers":[{"name":"a","args":["1","2"]}]})",
         R"({"containers":[{"name":"a","args":["3"]}]})",
         R"({"containers":[{"name":"a","args":["3"]}]})"},
        {R"({"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":1}]})",
         R"({"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":2}]})",
         R"({"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":2}]})"},
        {R"({"nodeSelector":{"a":"1"}})", R"({"nodeSelector":{"b":"2"}})",
         R"({"nodeSelector":{"a":"1","b":"2"}})"},
    };
    for (const auto& [pod_spec, patch, wanted] : rows) {
        SCOPED_TRACE(patch);
        expect_pod_spec(pod_spec, patch, wanted);
    }
}

TEST(StrategicMerge, PutsNewEntriesInFront) {
    expect_pod_spec(R"({"containers":[{"name":"a"},{"name":"b"}]})",
                    R"({"containers":[{"name":"new"}]})",
                    R"({"containers":[{"name":"new"},{"name":"a"},{"name":"b"}]})");
}

TEST(StrategicMerge, ObeysItsDirectives) {
    const struct {
        const char* pod_spec;
        const char* patch;
        const char* wanted;
    } rows[] = {
        {R"({"containers":[{"name":"a"},{"name":"b"}]})",
         R"({"containers":[{"name":"a","$patch":"delete"}]})", R"({"containers":[{"name":"b"}]})"},
        {R"({"containers":[{"name":"a"},{"name":"b"}]})",
         R"({"containers":[{"$patch":"replace"},{"name":"c"}]})",
         R"({"containers":[{"name":"c"}]})"},
        {R"({"securityContext":{"runAsUser":1,"fsGroup":2}})",
         R"({"securityContext":{"$patch":"replace","fsGroup":3}})",
         R"({"securityContext":{"fsGroup":3}})"},
        {R"({"securityContext":{"runAsUser":1}})", R"({"securityContext":{"$patch":"delete"}})",
         R"({"securityContext":{}})"},
        {R"({"volumes":[{"name":"v","emptyDir":{}}]})",
         R"({"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/"}}]})",
         R"({"volumes":[{"name":"v","hostPath":{"path":"/"}}]})"},
        {R"({"containers":[{"name":"a"},{"name":"b"}]})",
         R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],
             "containers":[{"name":"b","image":"2"}]})",
         R"({"containers":[{"name":"b","image":"2"},{"name":"a"}]})"},
        {R"({"containers":[{"name":"a"},{"name":"mesh"},{"name":"b"}]})",
         R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"},{"name":"c"}],
             "containers":[{"name":"c"}]})",
         R"({"containers":[{"name":"mesh"},{"name":"b"},{"name":"a"},{"name":"c"}]})"},
        {R"({"containers":[{"name":"a"},{"name":"b"}]})",
         R"({"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]})",
         R"({"containers":[{"name":"b"},{"name":"a"}]})"},
        {R"({"a":1})", R"({"$setElementOrder/volumes":[{"name":"x"}]})", R"({"a":1})"},
        {R"({"a":1})",
         R"({"volumes":[{"$patch":"delete","name":"x"}],"b":{"$retainKeys":["c"],"c":null}})",
         R"({"a":1,"volumes":[],"b":{}})"},
        {R"({"a":1,"b":{"c":2}})", R"({"a":null,"b":{"c":null},"gone":null})", R"({"b":{}})"},
    };
    for (const auto& [pod_spec, patch, wanted] : rows) {
        SCOPED_TRACE(patch);
        expect_pod_spec(pod_spec, patch, wanted);
    }
}

TEST(StrategicMerge, TakesPlainValuesInAndOutOfSets) {
    const json::object pod = from(R"({"apiVersion":"v1","kind":"Pod",
        "metadata":{"finalizers":["a","b"]}})");
    expect_same(strategic_merge_patch(pod, value_from(R"({"metadata":{"finalizers":["c","a"]}})")),
                R"({"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":["c","a","b"]}})");
    expect_same(strategic_merge_patch(
                    pod, value_from(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],
                                            "$setElementOrder/finalizers":["b"]}})")),
                R"({"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":["b"]}})");
}

TEST(StrategicMerge, ReplacesTheListsOfCustomKinds) {
    expect_same(strategic_merge_patch(from(R"({"apiVersion":"example.com/v1","kind":"Pod",
                             "spec":{"containers":[{"name":"a"}]}})"),
                                      value_from(R"({"spec":{"containers":[{"name":"b"}]}})")),
                R"({"apiVersion":"example.com/v1","kind":"Pod",
                    "spec":{"containers":[{"name":"b"}]}})");
}

TEST(StrategicMerge, SaysWhatIsWrong) {
    const std::string spec = R"({"containers":[{"name":"a"}],"volumes":[{"name":"v"}]})";
    const struct {
        const char* patch;
        const char* wanted;
    } rows[] = {
        {R"({"containers":[{"image":"x"}]})",
         "500 : map: map[image:x] does not contain declared merge key: name"},
        {R"({"containers":[{"$patch":"delete"}]})",
         "500 : map: map[$patch:delete] does not contain declared merge key: name"},
        {R"({"containers":[{"$patch":"eat","name":"a"}]})",
         "500 : unknown patch type: eat in map: map[$patch:eat name:a]"},
        {R"({"containers":["a"]})", "500 : list element types are not identical"},
        {R"({"containers":[["a"]]})",
         "422 Invalid: the server rejected our request due to an error in our request"},
        {R"({"volumes":[{"name":"v","$retainKeys":"name"}]})",
         "400 BadRequest: invalid patch format of retainKeys"},
        {R"({"volumes":[{"name":"v","$retainKeys":["name"],"emptyDir":{}}]})",
         "400 BadRequest: invalid patch format of retainKeys"},
        {R"({"$setElementOrder/containers":7})",
         "400 BadRequest: invalid patch format of setElementOrder list"},
        {R"({"$deleteFromPrimitiveList":["a"]})",
         "400 BadRequest: invalid patch format of primitive list"},
        {R"({"$patch":7})", "500 : unknown patch type: 7 in map: map[$patch:7]"},
    };
    for (const auto& [patch, wanted] : rows)
        EXPECT_EQ(patched_pod_spec(spec, patch), wanted) << patch;
    EXPECT_EQ(patched_pod_spec(spec, R"({"$setElementOrder/containers":[{"name":"b"}],
                                         "containers":[{"name":"a"}]})")
                  .substr(0, 30),
              "500 : The order in patch list:");
}

TEST(StrategicMerge, SurvivesWrongTypesEverywhere) {
    const std::string spec =
        R"({"containers":[{"name":"a","env":{}}],"volumes":"x","securityContext":[1]})";
    for (const char* patch : {
             R"({"containers":{}})",
             R"({"containers":"x"})",
             R"({"containers":[null]})",
             R"({"containers":[1]})",
             R"({"containers":[{"name":null}]})",
             R"({"containers":[{"name":{"a":1}}]})",
             R"({"containers":[{"name":"a","env":[1]}]})",
             R"({"volumes":[{"name":"v"}]})",
             R"({"$setElementOrder/volumes":[1]})",
             R"({"$setElementOrder/containers":[1,null,[]]})",
             R"({"$deleteFromPrimitiveList/containers":[1]})",
             R"({"$deleteFromPrimitiveList/containers":null})",
             R"({"$deleteFromPrimitiveList/":[1]})",
             R"({"$retainKeys":[1,null,{}]})",
             R"({"securityContext":{"a":1}})",
         })
        EXPECT_FALSE(patched_pod_spec(spec, patch).empty()) << patch;
    for (const char* patch : {"[]", "null", "1", "\"x\""})
        EXPECT_EQ(strategic_merge_patch(deployment("{}"), value_from(patch)).error().status, 400);
    EXPECT_EQ(strategic_merge_patch({}, value_from(R"({"a":)" + nested(200) + "}")).error().status,
              400);
}

// The key of the list at this place of a kind; places in lists do not matter.
std::string merge_key(std::string_view kind, std::string_view path) {
    const Shape* shape = &shape_of({{"apiVersion", "v1"}, {"kind", kind}});
    const Field* field = nullptr;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find_first_of("./"), path.size());
        const std::string_view name = path.substr(0, end);
        path.remove_prefix(std::min(end + 1, path.size()));
        const bool is_entry =
            name == "*" || name.find_first_not_of("0123456789") == std::string_view::npos;
        if (is_entry) continue;
        field = field_of(shape, name);
        if (!field) return {};
        shape = field->shape;
    }
    return field ? std::string{field->merge_key} : std::string{};
}

TEST(MergeKey, BelongsToThePlaceInTheType) {
    const struct {
        const char* kind;
        const char* path;
        const char* key;
    } rows[] = {
        {"Pod", "/spec/containers", "name"},
        {"Pod", "spec.containers", "name"},
        {"Pod", "/spec/containers/0/ports", "containerPort"},
        {"StatefulSet", "/spec/template/spec/initContainers/*/env", "name"},
        {"StatefulSet", "/spec/template/spec/tolerations", ""},
        {"StatefulSet", "/spec/volumeClaimTemplates", ""},
        {"StatefulSet", "/metadata/ownerReferences", "uid"},
        {"StatefulSet", "/metadata/finalizers", "*"},
        {"StatefulSet", "/status/conditions", "type"},
        {"CronJob", "/spec/jobTemplate/spec/template/spec/volumes", "name"},
        {"Service", "/spec/ports", "port"},
        {"Pod", "/spec/topologySpreadConstraints", "topologyKey"},
        {"Pod", "/spec/hostAliases", "ip"},
        {"Pod", "/spec/nowhere/at/all", ""},
        {"Unheard", "/spec/containers", ""},
        {"Unheard", "/metadata/finalizers", "*"},
        {"", "", ""},
        {"Pod", "////", ""},
    };
    for (const auto& [kind, path, key] : rows)
        EXPECT_EQ(merge_key(kind, path), key) << kind << " " << path;
}

}  // namespace
}  // namespace sluice::sim
