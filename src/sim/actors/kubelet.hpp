// The kubelets of all nodes: start pods, report on them, let them behave as their annotation says,
// and end those that are deleted. On a node that is down nothing happens until it is back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/actors/controller.hpp"
#include "sim/actors/pod_status.hpp"

namespace sluice::sim {

class Kubelet final : public Controller {
  public:
    using Controller::Controller;
    void on_change(const Change& change) override;

  private:
    enum class Stage { New, Creating, Pulling, Running, Ready, BackingOff, Ended };
    // One pod on its node. A plan is a timer; only the newest plan of a pod is carried out.
    struct Life {
        std::string uid;
        std::string node;
        Stage stage = Stage::New;
        std::string behaviour = {};
        std::string images = {};  // that its containers were started with
        std::uint64_t plan = 0;
        int restarts = 0;
        Instant started = {};
        std::optional<Instant> stops_at = {};
    };
    using Event = void (Kubelet::*)(const Key&, Life&, const json::object&);

    bool reconcile(const Key& key) override;
    void notice_node(const Change& change);
    void collect_later(const std::string& node);
    void live_on(const Key& key, Life& life, const json::object& pod);
    void behave(const Key& key, Life& life, const json::object& pod);
    void plan(const Key& key, Life& life, Duration delay, Event event);
    void plan_ready(const Key& key, Life& life, const json::object& pod);
    void plan_stop(const Key& key, Life& life, const json::object& pod);

    void accept(const Key& key, Life& life, const json::object& pod);
    void start(const Key& key, Life& life, const json::object& pod);
    void back_off_pulling(const Key& key, Life& life, const json::object& pod);
    void run(const Key& key, Life& life, const json::object& pod);
    void restart(const Key& key, Life& life, const json::object& pod);
    void make_ready(const Key& key, Life& life, const json::object& pod);
    void make_unready(const Key& key, Life& life, const json::object& pod);
    void crash(const Key& key, Life& life, const json::object& pod);
    void end(const Key& key, Life& life, const json::object& pod);

    bool is_up(const std::string& node) const;
    // It runs, and with other images than its pod names by now.
    static bool has_other_images(const Life& life, const json::object& pod);
    Containers running(const Life& life, bool is_ready) const;
    void report(const Life& life, const json::object& pod, json::object status);
    void report(const Life& life, const json::object& pod, const Containers& containers,
                std::optional<bool> is_ready = {});
    Duration draw(Duration least, Duration most) { return at_.dice.between(least, most); }

    std::map<Key, Life> lives_;
    std::uint64_t addresses_ = 0;
};

}  // namespace sluice::sim
