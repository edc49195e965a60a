#include "sim/actors/cluster.hpp"

#include <algorithm>

#include "sim/actors/controller.hpp"
#include "sim/actors/recorder.hpp"

namespace sluice::sim {

void Timeline::at(Instant when, std::function<void()> what) {
    entries_.emplace(std::pair{std::max(when, now_), count_++}, std::move(what));
}

std::optional<Instant> Timeline::next() const {
    if (entries_.empty()) return std::nullopt;
    return entries_.begin()->first.first;
}

bool Timeline::run_next(Instant end) {
    if (entries_.empty() || entries_.begin()->first.first > end) return false;
    auto entry = entries_.extract(entries_.begin());
    now_ = std::max(now_, entry.key().first);
    entry.mapped()();
    return true;
}

void Timeline::run_until(Instant end) {
    while (run_next(end)) {
    }
    now_ = std::max(now_, end);
}

class Cluster::Actors {
  public:
    explicit Actors(Surroundings at) : expiry_(at) {
        controllers_.push_back(make_statefulset_controller(at, owners_));
        controllers_.push_back(make_job_controller(at, owners_));
        controllers_.push_back(make_garbage_collector(at, owners_));
        controllers_.push_back(make_scheduler(at));
        controllers_.push_back(make_volume_controller(at));
        controllers_.push_back(make_kubelets(at));
        controllers_.push_back(make_namespace_controller(at));
    }

    void on_change(const Change& change) {
        owners_.on_change(change);
        for (const auto& one : controllers_)
            one->on_change(change);
        expiry_.on_change(change);
    }
    Controller& statefulsets() { return *controllers_.front(); }

  private:
    OwnerIndex owners_;
    std::vector<std::unique_ptr<Controller>> controllers_;
    EventExpiry expiry_;
};

namespace {

const std::string installer = "kubernetes-admin";

json::object node_status(const std::string& name, bool is_ready, Instant now) {
    const std::string time = to_rfc3339(now);
    json::object ready{{"type", "Ready"},
                       {"status", is_ready ? "True" : "Unknown"},
                       {"reason", is_ready ? "KubeletReady" : "NodeStatusUnknown"},
                       {"message", is_ready ? "kubelet is posting ready status"
                                            : "Kubelet stopped posting node status."},
                       {"lastHeartbeatTime", time},
                       {"lastTransitionTime", time}};
    const json::object room{{"cpu", "16"}, {"memory", "64Gi"}, {"pods", "250"}};
    json::object software{{"kubeletVersion", "v1.36.3"},
                          {"osImage", "Sluice simulator"},
                          {"operatingSystem", "linux"},
                          {"architecture", "amd64"},
                          {"containerRuntimeVersion", "sim://1"}};
    return {{"capacity", room},
            {"allocatable", room},
            {"addresses", json::array{{{"type", "Hostname"}, {"address", name}}}},
            {"conditions", json::array{std::move(ready)}},
            {"nodeInfo", std::move(software)}};
}

void add_node(ApiServer& api, int number, Instant now) {
    const std::string name = "node-" + std::to_string(number);
    const std::string zone = std::string{"zone-"} + static_cast<char>('a' + number % 3);
    api.create({{"apiVersion", "v1"},
                {"kind", "Node"},
                {"metadata",
                 {{"name", name},
                  {"labels",
                   {{"kubernetes.io/hostname", name},
                    {"kubernetes.io/os", "linux"},
                    {"topology.kubernetes.io/zone", zone}}}}},
                {"spec", json::object{}}},
               "system:node:" + name, now);
    json::object node = api.find("nodes", {}, name)->object();
    node["status"] = node_status(name, true, now);
    api.update(std::move(node), "system:node:" + name, now, "status");
}

void install(ApiServer& api, int nodes, Instant now) {
    for (const char* name : {"default", "kube-system", "sluice-system"})
        if (!api.find("namespaces", {}, name))
            api.create(
                {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}},
                installer, now);
    if (!api.find("storageclasses.storage.k8s.io", {}, "standard"))
        api.create({{"apiVersion", "storage.k8s.io/v1"},
                    {"kind", "StorageClass"},
                    {"metadata",
                     {{"name", "standard"},
                      {"annotations", {{"storageclass.kubernetes.io/is-default-class", "true"}}}}},
                    {"provisioner", "sim.sluice.dev"},
                    {"reclaimPolicy", "Delete"},
                    {"volumeBindingMode", "Immediate"}},
                   installer, now);
    for (int i = 0; i < nodes; ++i)
        add_node(api, i, now);
}

}  // namespace

Cluster::Cluster(ClusterOptions options)
    : options_(options),
      timeline_(options_.start),
      dice_(options_.seed),
      api_(options_.seed, options_.tracks_fields),
      actors_(std::make_unique<Actors>(Surroundings{api_, timeline_, dice_, options_})) {
    for (const Resource* resource : api_.resources()) {
        for (const ObjectPtr& object : api_.list(resource->id())) {
            const Key key = key_of(object->object());
            actors_->on_change({Change::Type::Added,
                                object->version(),
                                {resource->id(), key.ns, key.name},
                                object,
                                nullptr,
                                installer});
        }
    }
    api_.on_change([this](const Change& change) { actors_->on_change(change); });
    install(api_, options_.nodes, now());
}

Cluster::~Cluster() = default;

void Cluster::set_node_ready(const std::string& name, bool ready) {
    const ObjectPtr found = api_.find("nodes", {}, name);
    if (!found || is_ready_node(found) == ready) return;
    json::object node = found->object();
    node["status"] = node_status(name, ready, now());
    const std::string user =
        ready ? "system:node:" + name : "system:serviceaccount:kube-system:node-controller";
    api_.update(std::move(node), user, now(), "status");
}

void Cluster::set_controllers_running(bool running) {
    actors_->statefulsets().hold(!running);
}

}  // namespace sluice::sim
