// A small Kubernetes for tests: sets are written down in a few words, and what became of their pods
// is read in a few words.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/actors/cluster.hpp"
#include "sim/actors/object.hpp"

namespace sluice::sim {

// Everything takes a fixed time, so that a test can say when something happens.
inline const Pace even_pace{.controller_least = 10ms,
                            .controller_most = 10ms,
                            .schedule_least = 10ms,
                            .schedule_most = 10ms,
                            .start_least = 1s,
                            .start_most = 1s,
                            .ready_least = 1s,
                            .ready_most = 1s,
                            .stop_least = 500ms,
                            .stop_most = 500ms};

class Kubernetes {
  public:
    explicit Kubernetes(ClusterOptions options = {.pace = even_pace}) : cluster(options) {}

    void create(std::string_view text) {
        const Response made = cluster.api().create(json::parse(text).as_object(), admin, now());
        ASSERT_TRUE(went(made)) << json::serialize(made.body);
    }
    // A set "web" with the image "v1".
    void create_set(int replicas, const std::function<void(json::object&)>& adapt = {}) {
        json::object set = json::parse(R"({
            "apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"serviceName": "web", "selector": {"matchLabels": {"app": "web"}},
                     "template": {"metadata": {"labels": {"app": "web"}},
                                  "spec": {"containers": [{"name": "main", "image": "v1"}]}}}
        })")
                               .as_object();
        set.at("spec").as_object()["replicas"] = replicas;
        if (adapt) adapt(set);
        const Response made = cluster.api().create(std::move(set), admin, now());
        ASSERT_TRUE(went(made)) << json::serialize(made.body);
    }
    void change(const std::string& resource, const std::string& name,
                const std::function<void(json::object&)>& how, const std::string& sub = {}) {
        const ObjectPtr before = cluster.api().find(resource, "default", name);
        ASSERT_NE(before, nullptr) << resource << " " << name;
        json::object after = before->object();
        how(after);
        const Response done = cluster.api().update(std::move(after), admin, now(), sub);
        ASSERT_TRUE(went(done)) << json::serialize(done.body);
    }
    void change_set(const std::function<void(json::object&)>& how) {
        change("statefulsets.apps", "web", how);
    }
    void set_image(const std::string& image) {
        change_set([&](json::object& set) {
            find(set, "/spec/template/spec/containers/0")->as_object()["image"] = image;
        });
    }
    void set_partition(int partition) {
        change_set([&](json::object& set) {
            sim::set(set, "/spec/updateStrategy/rollingUpdate/partition", partition);
        });
    }
    void scale(int replicas) {
        change_set([&](json::object& set) { sim::set(set, "/spec/replicas", replicas); });
    }
    void set_behaviour(const std::string& behaviour) {
        change_set([&](json::object& set) {
            object_in(set, "/spec/template/metadata/annotations")[behaviour_annotation] = behaviour;
        });
    }
    void misbehave(const std::string& pod, const std::string& behaviour) {
        change("pods", pod, [&](json::object& object) {
            object_in(object, "/metadata/annotations")[behaviour_annotation] = behaviour;
        });
    }
    void remove(const std::string& resource, const std::string& name, const Deletion& how = {}) {
        const Response gone = cluster.api().remove(resource, "default", name, admin, now(), how);
        ASSERT_TRUE(went(gone)) << json::serialize(gone.body);
    }

    void run(Duration length) { cluster.run_for(length); }
    Instant now() const { return cluster.now(); }

    json::object get(const std::string& resource, const std::string& name) const {
        const ObjectPtr found = cluster.api().find(resource, "default", name);
        return found ? found->object() : json::object{};
    }
    bool exists(const std::string& resource, const std::string& name) const {
        return cluster.api().find(resource, "default", name) != nullptr;
    }
    json::object set() const { return get("statefulsets.apps", "web"); }
    std::string status(const std::string& field) const {
        const json::object web = set();
        const json::value* found = find(web, "/status/" + field);
        if (!found) return "";
        return found->is_string() ? std::string{found->get_string()} : json::serialize(*found);
    }
    // "web-0:v1 web-1:v1! web-2:v2-": with the image, unready ones marked "!", ending ones "-".
    std::string pods() const {
        std::string line;
        for (const ObjectPtr& pod : cluster.api().list("pods", "default")) {
            const json::object& object = pod->object();
            const json::object* ready = condition(object_at(object, "/status"), "Ready");
            if (!line.empty()) line += " ";
            line += text_at(object, "/metadata/name") + ":" +
                    text_at(object, "/spec/containers/0/image");
            if (is_terminating(object))
                line += "-";
            else if (!ready || text(*ready, "status") != "True")
                line += "!";
        }
        return line;
    }
    std::string names(const std::string& resource) const {
        std::string line;
        for (const ObjectPtr& object : cluster.api().list(resource, "default"))
            line += (line.empty() ? "" : " ") + text_at(object->object(), "/metadata/name");
        return line;
    }
    std::string node_of(const std::string& pod) const {
        return text_at(get("pods", pod), "/spec/nodeName");
    }
    std::string uid(const std::string& pod) const {
        return text_at(get("pods", pod), "/metadata/uid");
    }
    std::string waits_for(const std::string& pod) const {
        return text_at(get("pods", pod), "/status/containerStatuses/0/state/waiting/reason");
    }

    Cluster cluster;
};

// "+web-0", "-web-0" in the order in which they appeared and were gone.
class PodHistory {
  public:
    explicit PodHistory(Cluster& cluster) {
        cluster.api().on_change([this](const Change& change) {
            if (change.place.resource != "pods") return;
            if (change.type == Change::Type::Added) add("+" + change.place.name);
            if (change.type == Change::Type::Deleted) add("-" + change.place.name);
        });
    }
    PodHistory(const PodHistory&) = delete;
    std::string take() { return std::exchange(line_, {}); }

  private:
    void add(const std::string& what) { line_ += (line_.empty() ? "" : " ") + what; }
    std::string line_;
};

}  // namespace sluice::sim
