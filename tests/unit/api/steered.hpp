// Things that are steered, as a server would tell of them, and what a verb makes of one.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/verbs.hpp"

namespace sluice::api::testing {

namespace json = boost::json;

// A StatefulSet web in shop with 3 pods, of which one runs the new revision.
inline json::object web_set(const std::string& annotations = "{}",
                            const std::string& labels = "{}") {
    json::value set = json::parse(R"json({
      "metadata": {"name": "web", "namespace": "shop", "uid": "set-uid", "resourceVersion": "7",
                   "generation": 2, "creationTimestamp": "2026-01-01T00:00:00Z"},
      "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}},
               "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}},
               "template": {"spec": {"containers": [{"name": "app", "image": "app:b"}]}}},
      "status": {"observedGeneration": 2, "currentRevision": "web-a", "updateRevision": "web-b",
                 "updatedReplicas": 1}})json");
    set.at("metadata").as_object()["annotations"] = json::parse(annotations);
    set.at("metadata").as_object()["labels"] = json::parse(labels);
    return set.as_object();
}

inline json::object custom(const std::string& name, const std::string& spec,
                           const std::string& status, const std::string& annotations = "{}") {
    return {{"metadata", json::object{{"name", name},
                                      {"namespace", "shop"},
                                      {"uid", name + "-uid"},
                                      {"resourceVersion", "9"},
                                      {"generation", 1},
                                      {"annotations", json::parse(annotations)}}},
            {"spec", json::parse(spec)},
            {"status", json::parse(status)}};
}

inline Steered steered(const Dialect& dialect, const json::object& object) {
    auto read = read_steered(dialect, object);
    if (!read) {
        ADD_FAILURE() << read.error().message;
        return {};
    }
    return std::move(*read);
}

// With a workload beside it.
inline Steered steered(const Dialect& dialect, const json::object& object,
                       const json::object& workload) {
    Steered one = steered(dialect, object);
    one.workload = read_workload(workload).value();
    return one;
}

// What is written, one JSON text for each write: "status {...}".
inline std::string written(const Reply& reply) {
    if (!reply) return "refused: " + reply.error().why;
    constexpr const char* places[] = {"object", "status", "workload"};
    std::string all;
    for (const Write& write : reply->writes)
        all += (all.empty() ? "" : "; ") + std::string{places[static_cast<int>(write.place)]} +
               " " + json::serialize(write.fields);
    return all;
}

inline std::string refusal(const Reply& reply) {
    return reply ? "done: " + reply->done : reply.error().why;
}

}  // namespace sluice::api::testing
