// What a kubelet reports of a pod, one function per thing that can happen to it.
#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "sim/actors/kubelet.hpp"

namespace sluice::sim {
namespace {

// A crash loop: 10 s, doubled with every crash, at most five minutes.
Duration pause_before_restart(int restarts) {
    return std::min<Duration>(10s * (1 << std::min(restarts - 1, 5)), 5min);
}

}  // namespace

void Kubelet::report(const Life& life, const json::object& pod, json::object status) {
    at_.api.update(with_status(pod, std::move(status)), "system:node:" + life.node, at_.now(),
                   "status");
}

void Kubelet::report(const Life& life, const json::object& pod, const Containers& containers,
                     std::optional<bool> is_ready) {
    json::object status = child(pod, "status");
    set_containers(status, pod, containers);
    if (is_ready) set_readiness(status, pod, *is_ready, at_.now());
    report(life, pod, std::move(status));
}

Containers Kubelet::running(const Life& life, bool is_ready) const {
    return {.state = Containers::State::Running,
            .is_ready = is_ready,
            .restarts = life.restarts,
            .since = life.started,
            .failed_before = life.restarts > 0};
}

void Kubelet::accept(const Key& key, Life& life, const json::object& pod) {
    const Pace& pace = at_.options.pace;
    life.stage = Stage::Creating;
    json::object status = child(pod, "status");
    status["startTime"] = to_rfc3339(at_.now());
    const auto node = fnv1a(life.node) % 250 + 1;
    status["hostIP"] = fmt::format("192.168.0.{}", node);
    set_condition(status, {"PodScheduled", true}, at_.now());
    set_condition(status, {"Initialized", true}, at_.now());
    set_readiness(status, pod, false, at_.now());
    set_containers(status, pod, {});
    report(life, pod, std::move(status));
    plan(key, life, draw(pace.start_least, pace.start_most), &Kubelet::start);
}

void Kubelet::start(const Key& key, Life& life, const json::object& pod) {
    if (life.behaviour != "pull") return run(key, life, pod);
    life.stage = Stage::Pulling;
    report(life, pod,
           {.reason = "ErrImagePull", .message = "failed to pull and unpack image: not found"});
    plan(key, life, 10s, &Kubelet::back_off_pulling);
}

void Kubelet::back_off_pulling(const Key&, Life& life, const json::object& pod) {
    report(life, pod, {.reason = "ImagePullBackOff", .message = "Back-off pulling image"});
}

void Kubelet::run(const Key& key, Life& life, const json::object& pod) {
    life.stage = Stage::Running;
    life.started = at_.now();
    life.images = images_of(pod);
    json::object status = child(pod, "status");
    status["phase"] = "Running";
    if (!status.contains("podIP")) {
        const std::uint64_t n = ++addresses_;
        const std::string address =
            fmt::format("10.{}.{}.{}", 1 + n / 62'500 % 250, n / 250 % 250, 1 + n % 250);
        status["podIP"] = address;
        status["podIPs"] = json::array{json::object{{"ip", address}}};
    }
    set_containers(status, pod, running(life, false));
    report(life, pod, std::move(status));
    behave(key, life, pod);
}

// Its containers are started anew, with other images.
void Kubelet::restart(const Key& key, Life& life, const json::object& pod) {
    life.stage = Stage::Running;
    life.started = at_.now();
    life.images = images_of(pod);
    ++life.restarts;
    report(life, pod, running(life, false), false);
    behave(key, life, pod);
}

void Kubelet::make_ready(const Key&, Life& life, const json::object& pod) {
    life.stage = Stage::Ready;
    report(life, pod, running(life, true), true);
}

void Kubelet::make_unready(const Key&, Life& life, const json::object& pod) {
    life.stage = Stage::Running;
    report(life, pod, running(life, false), false);
}

void Kubelet::crash(const Key& key, Life& life, const json::object& pod) {
    life.stage = Stage::BackingOff;
    ++life.restarts;
    report(life, pod,
           {.reason = "CrashLoopBackOff",
            .message = "back-off restarting failed container",
            .restarts = life.restarts,
            .since = at_.now(),
            .failed_before = true},
           false);
    plan(key, life, pause_before_restart(life.restarts), &Kubelet::start);
}

// Of a Job's pod: its work is done, or failed. Of any other: as if its node had put it out.
void Kubelet::end(const Key&, Life& life, const json::object& pod) {
    life.stage = Stage::Ended;
    const bool has_failed = life.behaviour == "fail";
    json::object status = child(pod, "status");
    status["phase"] = has_failed ? "Failed" : "Succeeded";
    set_containers(status, pod,
                   {.state = Containers::State::Ended,
                    .reason = has_failed ? "Error" : "Completed",
                    .exit_code = has_failed ? 1 : 0,
                    .restarts = life.restarts,
                    .since = at_.now()});
    for (const char* type : {"ContainersReady", "Ready"})
        set_condition(status, {type, false, has_failed ? "PodFailed" : "PodCompleted"}, at_.now());
    report(life, pod, std::move(status));
}

}  // namespace sluice::sim
