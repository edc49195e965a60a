// A whole world: cluster, services, operators, faults and the inspector, with what people do to it
// as plain functions. Everything in it follows from its options.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/world/fields.hpp"
#include "sim/world/inspector.hpp"

namespace sluice::sim {

// The namespace where nearly everything happens.
inline constexpr const char* shop = "shop";

struct WorldOptions {
    std::uint64_t seed = 1;
    int operators = 1;  // of more than one, the holder of the lease leads
    Duration hook_retry = 30s;
    Duration skew{0};                          // of the first operator's clock
    std::vector<std::string> namespaces = {};  // that the operators watch; empty: all
    Pace pace = {};
};

struct SetOptions {
    std::string name = "web";
    std::string ns = shop;
    std::int64_t replicas = 3;
    std::map<std::string, std::string> labels = {};
    std::string image = "app:a";
    std::string policy = "OrderedReady";
    std::string strategy = "RollingUpdate";
    std::int64_t partition = -1;  // -1: left out
    std::int64_t start = 0;
    std::int64_t min_ready = 0;
    std::string claim = {};  // a volumeClaimTemplate of this name
    std::string behaviour = {};
};

class World {
  public:
    explicit World(WorldOptions options);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void start_operators();
    void set_policies(bool installed);
    // An entry of a ConfigMap beside the operator, which is made if it is not there; null takes the
    // entry away.
    Response put_setting(const std::string& map, const std::string& key, const json::value& value);
    Response create_set(const SetOptions& set);

    // What a person does with kubectl. Each gives the server's answer.
    Response create(json::object object);
    Response remove(const std::string& resource, const std::string& ns, const std::string& name,
                    const Deletion& how = {});
    Response merge(const std::string& resource, const std::string& ns, const std::string& name,
                   const json::object& changes, const std::string& subresource = {});
    Response set_image(const std::string& ns, const std::string& name, const std::string& image,
                       const std::string& behaviour = {});
    Response scale(const std::string& ns, const std::string& name, std::int64_t replicas);
    Response set_partition(const std::string& ns, const std::string& name, std::int64_t partition);
    // An empty value takes it away.
    Response annotate(const std::string& resource, const std::string& ns, const std::string& name,
                      const std::string& key, const std::string& value);
    Response label(const std::string& ns, const std::string& name, const std::string& key,
                   const std::string& value);
    // `hosts` are those that it may be sent to; empty: it says nothing of that.
    Response put_secret(const std::string& ns, const std::string& name, const std::string& key,
                        const std::string& value, const std::string& hosts);
    // kubectl replace with a manifest that knows nothing of partitions and annotations.
    Response replace(const std::string& ns, const std::string& name, const std::string& image);

    // "a a b!": the image tag of each pod by ordinal, "-" where there is none, "!" if not ready.
    std::string pods_text(const std::string& ns, const std::string& name) const;
    ObjectPtr set(const std::string& ns, const std::string& name) const;
    // The object of this name that reports on rollouts, whichever API it is of.
    ObjectPtr rollout(const std::string& ns, const std::string& name) const;

    Cluster cluster;
    Egress egress;
    Faults faults;
    Inspector inspector;
    std::vector<std::unique_ptr<OperatorHost>> operators;

  private:
    Response patch(const std::string& path, const std::string& type, const json::object& patch);
};

}  // namespace sluice::sim
