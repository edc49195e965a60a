// Objects as an API server sends them, with everything that we do not read.
#pragma once

#include <string>

#include "model/ref.hpp"

namespace sluice::model::testing {

inline constexpr Resource rollouts{"sts.plus", "v1alpha1", "phasedrollouts", "PhasedRollout"};

inline const std::string statefulset_text = R"json({
  "kind": "StatefulSet", "apiVersion": "apps/v1",
  "metadata": {
    "name": "web", "namespace": "shop", "uid": "123e4567-e89b-12d3-a456-426614174000",
    "resourceVersion": "8731", "generation": 7, "creationTimestamp": "2026-01-31T12:00:00Z",
    "labels": {"app": "web", "dd-statefulset-pilot": "elasticsearch"},
    "annotations": {
      "kubectl.kubernetes.io/last-applied-configuration": "{\"kind\":\"StatefulSet\"}\n",
      "sluice.dev/claim": "pilot/web", "sluice.dev/fence": "4"},
    "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {}}}]
  },
  "spec": {
    "replicas": 3,
    "selector": {"matchLabels": {"app": "web"}},
    "template": {
      "metadata": {"creationTimestamp": null, "labels": {"app": "web"}},
      "spec": {"containers": [{"name": "web", "image": "nginx:1.27",
                               "args": ["-c", "\u00e9\ud83d\ude00"]}],
               "terminationGracePeriodSeconds": 30}
    },
    "volumeClaimTemplates": [{"spec": {"resources": {"requests": {"storage": "1.5e3Gi"}}}}],
    "serviceName": "web", "podManagementPolicy": "OrderedReady",
    "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}},
    "revisionHistoryLimit": 10, "minReadySeconds": 5, "ordinals": {"start": 3},
    "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"}
  },
  "status": {
    "observedGeneration": 6, "replicas": 3, "readyReplicas": 2, "currentReplicas": 2,
    "updatedReplicas": 1, "currentRevision": "web-6bb", "updateRevision": "web-7cc",
    "collisionCount": 0, "availableReplicas": 2
  }
})json";

inline const std::string pod_text = R"json({
  "kind": "Pod", "apiVersion": "v1",
  "metadata": {
    "name": "web-4", "generateName": "web-", "namespace": "shop",
    "uid": "223e4567-e89b-12d3-a456-426614174004", "resourceVersion": "8700",
    "labels": {"app": "web", "controller-revision-hash": "web-7cc",
               "statefulset.kubernetes.io/pod-name": "web-4"},
    "ownerReferences": [
      {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web",
       "uid": "123e4567-e89b-12d3-a456-426614174000", "controller": true,
       "blockOwnerDeletion": true}]
  },
  "spec": {"containers": [{"name": "web", "image": "nginx:1.27"}], "nodeName": "node-1"},
  "status": {
    "phase": "Running",
    "conditions": [
      {"type": "Initialized", "status": "True", "lastTransitionTime": "2026-01-31T12:00:00Z"},
      {"type": "Ready", "status": "True", "lastProbeTime": null,
       "lastTransitionTime": "2026-01-31T12:00:10Z"},
      {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-01-31T12:00:00Z"}],
    "containerStatuses": [{"name": "web", "restartCount": 0, "lastState": {}}]
  }
})json";

inline const std::string config_map_text = R"json({
  "kind": "ConfigMap", "apiVersion": "v1",
  "metadata": {"name": "sluice-hooks", "namespace": "sluice-system", "resourceVersion": "9",
               "uid": "323e4567-e89b-12d3-a456-426614174009"},
  "data": {"careful": "url: https://careful.example/hook\n", "empty": ""},
  "binaryData": {"blob": "AAAA"}
})json";

inline const std::string rollout_text = R"json({
  "apiVersion": "sts.plus/v1alpha1", "kind": "PhasedRollout",
  "metadata": {
    "name": "web", "namespace": "shop", "uid": "423e4567-e89b-12d3-a456-426614174000",
    "resourceVersion": "8731", "generation": 7, "creationTimestamp": "2026-01-31T12:00:00Z",
    "finalizers": ["other.io/x", "sts.plus/finalizer"],
    "annotations": {"sluice.dev/retry": "1", "kubectl.kubernetes.io/last-applied": "{}"},
    "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}]
  },
  "spec": {"targetRef": "web", "check": {"query": {"expr": "up{job=\"a\"}", "url": "prom"}}},
  "status": {"phase": "Updated"}
})json";

// The text with one piece of it replaced by another; the piece must be there.
inline std::string with(std::string text, const std::string& piece, const std::string& other) {
    const std::size_t at = text.find(piece);
    return at == std::string::npos ? "the piece is not there"
                                   : text.replace(at, piece.size(), other);
}

inline std::string watch_line(const std::string& type, const std::string& object) {
    return R"({"type":")" + type + R"(","object":)" + object + "}";
}

}  // namespace sluice::model::testing
