// A whole world: cluster, hooks, operators, faults and the inspector, with what people do to it as
// plain functions. Everything in it follows from its options.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world/inspector.hpp"

namespace sluice::sim {

struct WorldOptions {
    std::uint64_t seed = 1;
    int operators = 1;  // more than one take turns through the lease
    Duration hook_retry = 30s;
    Duration skew{0};                          // of the first operator's clock
    std::vector<std::string> namespaces = {};  // that the operators watch; empty: all
    Pace pace = {};
};

struct SetOptions {
    std::string name = "web";
    std::string ns = "shop";
    std::int64_t replicas = 3;
    std::string hook = "careful";  // empty: no label
    std::string image = "app:a";
    std::string policy = "OrderedReady";
    std::string strategy = "RollingUpdate";
    std::int64_t partition = -1;  // -1: left out
    std::int64_t start = 0;
    std::int64_t min_ready = 0;
    std::string claim = {};  // a volumeClaimTemplate of this name
    std::string behaviour = {};
};

// A PhasedRollout, with the numbers of its document, or a RolloutPlugin.
struct RolloutOptions {
    std::string name = "gentle";
    std::string ns = "shop";
    std::string target = "web";
    // Fields of the spec, in the words of rollout_fields() or plugin_fields(): "period" "30s".
    std::map<std::string, std::string> fields = {};
};

// An AnalysisTemplate, a ClusterAnalysisTemplate or an AnalysisRun with one metric.
struct AnalysisOptions {
    std::string kind = "AnalysisTemplate";
    std::string name = "errors";
    std::string ns = "shop";
    std::string provider = "metric";  // or web, or job
    std::string what = {};            // the query, the URL, or how the Job's pod behaves
    std::map<std::string, std::string> fields = {};  // "interval" "30s"
    std::map<std::string, std::string> args = {};    // an empty value: whoever uses it gives one
};
bool is_analysis_field(std::string_view word);

// The words for the fields of a spec that scenarios and random worlds change.
struct RolloutField {
    std::string_view word;
    std::string_view pointer;  // in the object
    enum class Kind { Text, Number, Time, Flag, Filler, Steps, Analysis, ClusterAnalysis } kind;
};
std::span<const RolloutField> rollout_fields();
std::span<const RolloutField> plugin_fields();
// The value of a field, as its object has it; and as a patch has it, where "none" takes it away.
json::value field_value(RolloutField::Kind kind, const std::string& text);
json::value changed_value(RolloutField::Kind kind, const std::string& text);

class World {
  public:
    explicit World(WorldOptions options);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    void start_operators();
    void set_policies(bool installed);
    // An external hook, declared in the ConfigMap sluice-hooks; an empty text takes it away.
    void declare_hook(const std::string& name, const std::string& yaml);
    Response create_set(const SetOptions& set);
    Response create_rollout(const RolloutOptions& rollout);
    Response create_plugin(const RolloutOptions& plugin);
    Response create_analysis(const AnalysisOptions& analysis);

    // What a person does with kubectl. Each gives the server's answer.
    Response merge(const std::string& resource, const std::string& ns, const std::string& name,
                   const json::object& patch, const std::string& subresource = {});
    Response set_image(const std::string& ns, const std::string& name, const std::string& image,
                       const std::string& behaviour = {});
    Response scale(const std::string& ns, const std::string& name, std::int64_t replicas);
    Response set_partition(const std::string& ns, const std::string& name, std::int64_t partition);
    // An empty value takes it away.
    Response annotate(const std::string& resource, const std::string& ns, const std::string& name,
                      const std::string& key, const std::string& value);
    Response label(const std::string& ns, const std::string& name, const std::string& key,
                   const std::string& value);
    // One field of the spec of a PhasedRollout, in the words of rollout_fields(). "none" takes it
    // away.
    Response change_rollout(const std::string& ns, const std::string& name,
                            const std::string& field, const std::string& value);
    // The same of a RolloutPlugin, in the words of plugin_fields().
    Response change_plugin(const std::string& ns, const std::string& name, const std::string& field,
                           const std::string& value);
    // What is said to a RolloutPlugin through its status.
    Response command(const std::string& ns, const std::string& name, json::object status);
    // `hosts` are those that it may be sent to.
    Response put_secret(const std::string& ns, const std::string& name, const std::string& key,
                        const std::string& value, const std::string& hosts);
    // kubectl replace with a manifest that knows nothing of partitions and annotations.
    Response replace(const std::string& ns, const std::string& name, const std::string& image);

    // "a a b!": the image tag of each pod by ordinal, "-" where there is none, "!" if not ready.
    std::string pods_text(const std::string& ns, const std::string& name) const;
    ObjectPtr set(const std::string& ns, const std::string& name) const;
    // The PhasedRollout or RolloutPlugin of this name.
    ObjectPtr rollout(const std::string& ns, const std::string& name) const;

    Cluster cluster;
    Egress egress;
    Faults faults;
    Inspector inspector;
    std::vector<std::unique_ptr<OperatorHost>> operators;

  private:
    WorldOptions options_;
};

}  // namespace sluice::sim
