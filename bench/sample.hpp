// Objects of the size that real ones have, with managedFields and all, as an API server sends.
#pragma once

#include <fmt/format.h>

#include <string>

namespace sluice::bench {

inline std::string uid(int n) {
    return fmt::format("6f1d2c3b-4a5e-4f60-8a7b-{:012x}", n);
}

inline std::string managed_fields(int entries) {
    std::string text;
    for (int i = 0; i < entries; ++i)
        text += fmt::format(
            R"({}{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",)"
            R"("time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":)"
            R"({{"f:labels":{{".":{{}},"f:app":{{}},"f:controller-revision-hash":{{}}}}}},"f:spec":)"
            R"({{"f:containers":{{"k:{{\"name\":\"app\"}}":{{".":{{}},"f:image":{{}},)"
            R"("f:imagePullPolicy":{{}},"f:name":{{}},"f:resources":{{}}}}}}}}}}}})",
            i ? "," : "", i);
    return text;
}

inline std::string pod_json(int set, int ordinal, int version) {
    return fmt::format(
        R"({{"kind":"Pod","apiVersion":"v1","metadata":{{"name":"web-{0}-{1}","namespace":"team-{2}",)"
        R"("uid":"{3}","resourceVersion":"{4}","creationTimestamp":"2026-01-01T00:00:00Z",)"
        R"("labels":{{"app":"web-{0}","controller-revision-hash":"web-{0}-5d4f6c7b8",)"
        R"("statefulset.kubernetes.io/pod-name":"web-{0}-{1}"}},"ownerReferences":[{{"apiVersion":)"
        R"("apps/v1","kind":"StatefulSet","name":"web-{0}","uid":"{5}","controller":true,)"
        R"("blockOwnerDeletion":true}}],"managedFields":[{6}]}},"spec":{{"containers":[{{"name":)"
        R"("app","image":"app:a","resources":{{"limits":{{"cpu":"1","memory":"1Gi"}}}},"env":[)"
        R"({{"name":"A","value":"1"}},{{"name":"B","value":"2"}}]}}],"nodeName":"node-1"}},"status":)"
        R"({{"phase":"Running","conditions":[{{"type":"Initialized","status":"True",)"
        R"("lastTransitionTime":"2026-01-01T00:00:01Z"}},{{"type":"Ready","status":"True",)"
        R"("lastTransitionTime":"2026-01-01T00:00:02Z"}}],"podIP":"10.0.0.1"}}}})",
        set, ordinal, set % 20, uid(1'000'000 + set * 16 + ordinal), version, uid(set),
        managed_fields(3));
}

inline std::string set_json(int set, bool steered, int version) {
    return fmt::format(
        R"({{"kind":"StatefulSet","apiVersion":"apps/v1","metadata":{{"name":"web-{0}","namespace":)"
        R"("team-{1}","uid":"{2}","resourceVersion":"{3}","generation":2,"labels":{{"app":"web"{4}}},)"
        R"("annotations":{{"team.example/owner":"storage"{5}}},"managedFields":[{6}]}},"spec":)"
        R"({{"replicas":3,"selector":{{"matchLabels":{{"app":"web-{0}"}}}},"template":{{"metadata":)"
        R"({{"labels":{{"app":"web-{0}"}}}},"spec":{{"containers":[{{"name":"app","image":"app:a"}}]}}}},)"
        R"("serviceName":"web-{0}","updateStrategy":{{"type":"RollingUpdate","rollingUpdate":)"
        R"({{"partition":3}}}}}},"status":{{"observedGeneration":2,"replicas":3,"currentRevision":)"
        R"("web-{0}-5d4f6c7b8","updateRevision":"web-{0}-5d4f6c7b8","collisionCount":0}}}})",
        set, set % 20, uid(set), version, steered ? R"(,"dd-statefulset-pilot":"noop")" : "",
        steered ? R"(,"sluice.dev/claim":"pilot/web","sluice.dev/phase":"Idle")" : "",
        managed_fields(2));
}

inline std::string phased_rollout_json(int number, int version) {
    return fmt::format(
        R"({{"kind":"PhasedRollout","apiVersion":"sts.plus/v1alpha1","metadata":{{"name":"slow-{0}",)"
        R"("namespace":"team-{1}","uid":"{2}","resourceVersion":"{3}","generation":1,)"
        R"("creationTimestamp":"2026-01-01T00:00:00Z","finalizers":["sts.plus/finalizer"],)"
        R"("managedFields":[{4}]}},"spec":{{"targetRef":"web-{0}","skipCheck":false,"onFailure":"Hold",)"
        R"("check":{{"initialDelaySeconds":30,"periodSeconds":30,"maxTries":10,"successThreshold":3,)"
        R"("query":{{"expr":"sum(rate(errors_total{{app=\"web-{0}\"}}[1m])) > 5","successOn":"NoData",)"
        R"("url":"http://prometheus.monitoring:9090","secretRef":"prom-secret"}}}}}}}})",
        number, number % 20, uid(2'000'000 + number), version, managed_fields(2));
}

}  // namespace sluice::bench
