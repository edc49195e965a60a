#include "sim/kubectl/table.hpp"

#include <gmock/gmock.h>

namespace sluice::sim {
namespace {

using ::testing::ElementsAre;

constexpr Instant now{1'790'000'000'000};

json::object parsed(std::string_view text) {
    return json::parse(text).as_object();
}

std::string created(Duration ago) {
    return to_rfc3339(now - ago);
}

ObjectPtr stored(json::object object) {
    set(object, "/metadata/creationTimestamp", json::value(created(90s)));
    return std::make_shared<const Stored>(std::move(object));
}

Resource resource(std::string plural, std::string group = {}) {
    return {.group = std::move(group),
            .version = "v1",
            .plural = std::move(plural),
            .singular = "",
            .kind = ""};
}

// The columns and the first row as `kubectl get` (or `get -o wide`) prints them.
std::string printed(const Resource& of, const json::object& object, bool wide = false) {
    const json::object all = table(of, {stored(object)}, now);
    std::string header, row;
    const json::array& columns = array_at(all, "/columnDefinitions");
    const json::array& cells = array_at(all, "/rows/0/cells");
    EXPECT_EQ(columns.size(), cells.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!wide && number_at(columns[i].get_object(), "/priority") > 0) continue;
        header += text_at(columns[i].get_object(), "/name") + "|";
        row += (cells[i].is_string() ? std::string{cells[i].get_string()}
                                     : json::serialize(cells[i])) +
               "|";
    }
    return header + "\n" + row;
}

json::object pod(std::string_view state, std::string_view more = "{}") {
    json::object made = parsed(R"({"metadata": {"name": "web-0"},
        "spec": {"nodeName": "node-1", "containers": [{"name": "app"}]},
        "status": {"phase": "Running", "podIP": "10.0.0.7"}})");
    const json::object status = parsed(state);
    set(made, "/status/containerStatuses", json::array{status});
    for (const auto& [key, value] : parsed(more))
        set(made, key, value);
    return made;
}

std::string status_of(const json::object& of) {
    const json::object all = table(resource("pods"), {stored(of)}, now);
    return text_at(all, "/rows/0/cells/1") + " " + text_at(all, "/rows/0/cells/2") + " " +
           text_at(all, "/rows/0/cells/3");
}

TEST(Table, shows_pods_as_the_real_server_does) {
    const json::object running = pod(R"({"ready": true, "state": {"running": {}}})");
    EXPECT_EQ(printed(resource("pods"), running),
              "Name|Ready|Status|Restarts|Age|\nweb-0|1/1|Running|0|90s|");
    EXPECT_EQ(printed(resource("pods"), running, true),
              "Name|Ready|Status|Restarts|Age|IP|Node|Nominated Node|Readiness Gates|\n"
              "web-0|1/1|Running|0|90s|10.0.0.7|node-1|<none>|<none>|");
}

TEST(Table, says_why_a_pod_does_not_run) {
    EXPECT_EQ(status_of(pod(R"({"state": {"waiting": {"reason": "ImagePullBackOff"}}})")),
              "0/1 ImagePullBackOff 0");
    EXPECT_EQ(status_of(pod(R"({"restartCount": 3, "lastState": {"terminated":
                                {"finishedAt": ")" +
                            created(12s) + R"("}},
                                "state": {"waiting": {"reason": "CrashLoopBackOff"}}})")),
              "0/1 CrashLoopBackOff 3 (12s ago)");
    EXPECT_EQ(status_of(pod(R"({"state": {"terminated": {"exitCode": 1}}})")), "0/1 ExitCode:1 0");
    EXPECT_EQ(status_of(pod(R"({"ready": true, "state": {"running": {}}})",
                            R"({"/metadata/deletionTimestamp": "2026-01-01T00:00:00Z"})")),
              "1/1 Terminating 0");
    EXPECT_EQ(status_of(pod("{}", R"({"/status/phase": "Pending"})")), "0/1 Pending 0");
}

TEST(Table, says_that_a_pod_has_ended) {
    const json::object ended = pod(R"({"state": {"terminated": {"reason": "Completed"}}})",
                                   R"({"/status/phase": "Succeeded"})");
    EXPECT_EQ(status_of(ended), "0/1 Completed 0");
    const json::object all = table(resource("pods"), {stored(ended)}, now);
    EXPECT_EQ(text_at(all, "/rows/0/conditions/0/type"), "Completed");
}

TEST(Table, shows_workloads) {
    const json::object set = parsed(R"({"metadata": {"name": "web"}, "spec": {"replicas": 3,
        "template": {"spec": {"containers": [{"name": "a", "image": "x:1"},
                                             {"name": "b", "image": "y:2"}]}}},
        "status": {"readyReplicas": 2}})");
    EXPECT_EQ(printed(resource("statefulsets", "apps"), set), "Name|Ready|Age|\nweb|2/3|90s|");
    EXPECT_EQ(printed(resource("statefulsets", "apps"), set, true),
              "Name|Ready|Age|Containers|Images|\nweb|2/3|90s|a,b|x:1,y:2|");
    const json::object revision = parsed(R"({"metadata": {"name": "web-1", "ownerReferences": [
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": true}]},
        "revision": 4})");
    EXPECT_EQ(printed(resource("controllerrevisions", "apps"), revision),
              "Name|Controller|Revision|Age|\nweb-1|statefulset.apps/web|4|90s|");
    const json::object job = parsed(R"({"metadata": {"name": "once"}, "spec": {"completions": 1},
        "status": {"succeeded": 1, "startTime": "2026-01-01T00:00:00Z",
                   "completionTime": "2026-01-01T00:00:07Z",
                   "conditions": [{"type": "Complete", "status": "True"}]}})");
    EXPECT_EQ(printed(resource("jobs", "batch"), job),
              "Name|Status|Completions|Duration|Age|\nonce|Complete|1/1|7s|90s|");
}

TEST(Table, shows_what_else_is_in_a_cluster) {
    EXPECT_EQ(printed(resource("nodes"), parsed(R"({"metadata": {"name": "n", "labels":
                  {"node-role.kubernetes.io/worker": ""}}, "spec": {"unschedulable": true},
                  "status": {"nodeInfo": {"kubeletVersion": "v1.36.3"},
                             "conditions": [{"type": "Ready", "status": "True"}]}})")),
              "Name|Status|Roles|Age|Version|\n"
              "n|Ready,SchedulingDisabled|worker|90s|v1.36.3|");
    EXPECT_EQ(printed(resource("configmaps"), parsed(R"({"metadata": {"name": "c"},
                  "data": {"a": "", "b": ""}, "binaryData": {"c": ""}})")),
              "Name|Data|Age|\nc|3|90s|");
    EXPECT_EQ(printed(resource("services"), parsed(R"({"metadata": {"name": "s"},
                  "spec": {"type": "ClusterIP", "clusterIP": "None",
                           "ports": [{"port": 80}, {"port": 53, "protocol": "UDP"}]}})")),
              "Name|Type|Cluster-IP|External-IP|Port(s)|Age|\n"
              "s|ClusterIP|None|<none>|80/TCP,53/UDP|90s|");
    EXPECT_EQ(printed(resource("persistentvolumeclaims"), parsed(R"({"metadata": {"name": "d"},
                  "spec": {"volumeName": "v", "storageClassName": "standard"},
                  "status": {"phase": "Bound", "capacity": {"storage": "1Gi"},
                             "accessModes": ["ReadWriteOnce"]}})")),
              "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|\n"
              "d|Bound|v|1Gi|RWO|standard|<unset>|90s|");
    EXPECT_EQ(printed(resource("events"), parsed(R"({"metadata": {"name": "e"}, "type": "Normal",
                  "reason": "Started", "message": "It started.", "lastTimestamp": ")" +
                                                 created(5s) +
                                                 R"(", "involvedObject": {"kind": "Pod",
                  "name": "web-0"}})")),
              "Last Seen|Type|Reason|Object|Message|\n5s|Normal|Started|pod/web-0|It started.|");
    EXPECT_EQ(printed(resource("roles", "rbac.authorization.k8s.io"),
                      parsed(R"({"metadata": {"name": "r"}})")),
              "Name|Age|\nr|90s|");
}

TEST(Table, has_the_columns_that_a_definition_asks_for) {
    Resource gates = resource("gates", "sluice.dev");
    gates.schema = std::make_shared<const Schema>(json::object{});
    const json::object gate = parsed(R"({"metadata": {"name": "g"}, "spec": {"width": 2},
        "status": {"since": ")" + created(200s) +
                                     R"(", "conditions": [
            {"type": "Open", "status": "True"}]}})");
    EXPECT_EQ(printed(gates, gate), "Name|Age|\ng|90s|");
    gates.columns = json::parse(R"([
        {"name": "Width", "type": "integer", "jsonPath": ".spec.width"},
        {"name": "Open", "type": "string",
         "jsonPath": ".status.conditions[?(@.type==\"Open\")].status"},
        {"name": "Gone", "type": "string", "jsonPath": ".status.gone"},
        {"name": "Since", "type": "date", "jsonPath": ".status.since", "priority": 1}])")
                        .as_array();
    EXPECT_EQ(printed(gates, gate), "Name|Width|Open|Gone|\ng|2|True|null|");
    EXPECT_EQ(printed(gates, gate, true), "Name|Width|Open|Gone|Since|\ng|2|True|null|3m20s|");
}

TEST(Table, carries_what_is_asked_for_in_each_row) {
    const std::vector<ObjectPtr> one{
        stored(parsed(R"({"kind": "Pod", "metadata": {"name": "a"}})"))};
    const json::object metadata = table(resource("pods"), one, now);
    EXPECT_EQ(text_at(metadata, "/rows/0/object/kind"), "PartialObjectMetadata");
    EXPECT_EQ(text_at(metadata, "/rows/0/object/metadata/name"), "a");
    EXPECT_EQ(
        text_at(table(resource("pods"), one, now, row_object("Object")), "/rows/0/object/kind"),
        "Pod");
    EXPECT_TRUE(
        find(table(resource("pods"), one, now, row_object("None")), "/rows/0/object")->is_null());
}

TEST(Table, is_what_kubectl_asks_for) {
    EXPECT_TRUE(
        wants_table("application/json;as=Table;v=v1;g=meta.k8s.io,"
                    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"));
    EXPECT_FALSE(wants_table("application/json"));
    EXPECT_FALSE(wants_table("application/json, application/json;as=Table;v=v1;g=meta.k8s.io"));
    EXPECT_FALSE(wants_table("application/vnd.kubernetes.protobuf,application/json"));
    EXPECT_FALSE(wants_table(""));
}

TEST(Table, tells_ages_as_kubectl_does) {
    const std::vector<std::pair<Duration, std::string>> ages{
        {-5s, "<invalid>"}, {-1s, "0s"},         {0s, "0s"},          {119s, "119s"},
        {120s, "2m"},       {192s, "3m12s"},     {10min, "10m"},      {179min, "179m"},
        {3h, "3h"},         {3h + 5min, "3h5m"}, {47h, "47h"},        {51h, "2d3h"},
        {24h * 8, "8d"},    {24h * 729, "729d"}, {24h * 731, "2y1d"}, {24h * 3000, "8y"}};
    for (const auto& [length, words] : ages)
        EXPECT_EQ(age(length), words);
    EXPECT_EQ(age_since("", now), "<unknown>");
}

TEST(JsonPath, finds_the_first_match) {
    const json::object in = parsed(R"({"a": {"b.c": 1, "list": [{"n": "x", "v": 2},
                                       {"n": "y", "v": 3}]}})");
    const auto at = [&](std::string_view path) {
        const json::value* found = at_path(in, path);
        return found ? json::serialize(*found) : "nothing";
    };
    EXPECT_EQ(at(".a['b.c']"), "1");
    EXPECT_EQ(at(R"(.a.b\.c)"), "1");
    EXPECT_EQ(at(".a.list[1].v"), "3");
    EXPECT_EQ(at(".a.list[?(@.n=='y')].v"), "3");
    EXPECT_EQ(at(".a.list[?(@.n == \"x\")].v"), "2");
    for (const char* path : {"", "a", ".", "..a", ".b", "$", ".a.list[2]", ".a.list[?(@.n=='z')].v",
                             ".a.list[", ".a.list[?(", "[0]", ".a.list[x]"})
        EXPECT_EQ(at(path), "nothing") << path;
}

}  // namespace
}  // namespace sluice::sim
