#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_stateful_set/spec.hpp"
#include "api/fields.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "model/json_text.hpp"

namespace sluice::api::extended_stateful_set {

const model::Resource resource{"fissile.cloudfoundry.org", "v1alpha1", "extendedstatefulsets",
                               "ExtendedStatefulSet"};

namespace {

namespace json = boost::json;

// The bounds of deploy/crds/extendedstatefulsets.fissile.cloudfoundry.org.yaml.
constexpr std::size_t template_max = 64u << 10;
constexpr Range replicas_range{0, replicas_max};
constexpr Range canaries_range{0, replicas_max};
constexpr Range retries_range{0, 100};
constexpr Range seconds_range{0, 604'800};  // 7 days
constexpr Range deadline_range{1, 604'800};
constexpr std::size_t version_digits_max = 9;

Scaling read_scaling(const Fields& fields) {
    Scaling scaling;
    scaling.min = fields.number("min", replicas_range);
    scaling.max = fields.number("max", replicas_range);
    scaling.odd_only = fields.flag("oddOnly").value_or(false);
    const int min = scaling.min.value_or(0), max = scaling.max.value_or(replicas_max);
    if (min > max) fields.fault("min", "is more than max");
    if (min == max && scaling.odd_only && min % 2 == 0)
        fields.fault("oddOnly", "allows no number from min to max");
    return scaling;
}

Strategy read_strategy(const Fields& fields) {
    Strategy strategy;
    const auto seconds = [&](std::string_view key, Duration otherwise) -> Duration {
        const auto number = fields.number(key, seconds_range);
        return number ? Duration{std::chrono::seconds{*number}} : otherwise;
    };
    strategy.canaries = fields.number("canaries", canaries_range).value_or(strategy.canaries);
    strategy.retry_count = fields.number("retryCount", retries_range).value_or(0);
    strategy.update_not_ready = fields.flag("updateNotReady").value_or(false);
    strategy.canary_time = seconds("canarySeconds", strategy.canary_time);
    if (const auto deadline = fields.number("canaryDeadlineSeconds", deadline_range))
        strategy.canary_deadline = std::chrono::seconds{*deadline};
    if (const auto gates = fields.object("gates", !required))
        strategy.gates = gates::read_gates(*gates);
    return strategy;
}

// The spec of a StatefulSet, as far as we have to know it; the API server checks the rest.
void read_set_spec(const Fields& fields, Spec& spec) {
    spec.wanted = fields.number("replicas", replicas_range);
    if (const auto seconds = fields.number("minReadySeconds", seconds_range))
        spec.min_ready = std::chrono::seconds{*seconds};
    const json::value* claims = fields.find("volumeClaimTemplates");
    if (claims && claims->is_array() && !claims->get_array().empty())
        fields.fault("volumeClaimTemplates", "cannot be handed from version to version yet");
    if (fields.has("ordinals"))
        fields.fault("ordinals", "cannot be chosen: the pods of a version are counted from 0");
    fields.object("selector", required);
    fields.object("template", required);
}

Spec read_fields(const Fields& fields) {
    Spec spec;
    if (const auto scaling = fields.object("scaling", !required))
        spec.scaling = read_scaling(*scaling);
    if (const auto strategy = fields.object("updateStrategy", !required))
        spec.strategy = read_strategy(*strategy);
    spec.set = fields.json("template", template_max, required);
    if (const auto set = fields.object("template", required))
        if (const auto inner = set->object("spec", required)) read_set_spec(*inner, spec);
    json::value set = model::parse_json(spec.set);
    if (json::object* inner = set.is_object() && set.get_object().contains("spec")
                                  ? set.get_object()["spec"].if_object()
                                  : nullptr)
        inner->erase("replicas");
    spec.set = json::serialize(set);
    spec.replicas = PodCount{spec.scaling.nearest(spec.wanted.value_or(spec.scaling.min ? 0 : 1))};
    return spec;
}

}  // namespace

int Scaling::nearest(int wanted) const {
    const int least = min.value_or(0), most = std::max(least, max.value_or(replicas_max));
    const int within = std::clamp(wanted, least, most);
    const bool is_allowed = !odd_only || within % 2 == 1 || (within == 0 && !min);
    if (is_allowed) return within;
    return within + 1 <= most ? within + 1 : within - 1;
}

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object) {
    auto spec = read_part(object.spec, "spec", read_fields);
    if (object.meta.key.name.size() <= name_length_max) return spec;
    FieldErrors errors = spec ? FieldErrors{} : std::move(spec.error());
    errors.push_back({"metadata.name",
                      fmt::format("has more than {} characters; the labels of its pods would be "
                                  "too long",
                                  name_length_max)});
    return std::unexpected(std::move(errors));
}

std::string digest_of(const model::CustomObject& object, const Spec& spec) {
    return fmt::format("{:016x}", fnv1a(object.meta.uid + spec.set));
}

std::string revision_of(int version) {
    return fmt::format("v{}", version);
}

int version_text(std::string_view text) {
    if (text.empty() || text.size() > version_digits_max || text[0] == '0') return 0;
    return std::max(0, whole_number<int>(text).value_or(0));
}

int version_in(std::string_view name) {
    const std::size_t at = name.rfind('v');
    const bool begins = at != std::string_view::npos && (at == 0 || name[at - 1] == '-');
    return begins ? version_text(name.substr(at + 1)) : 0;
}

std::string set_name(std::string_view name, int version) {
    return fmt::format("{}-v{}", name, version);
}

}  // namespace sluice::api::extended_stateful_set
