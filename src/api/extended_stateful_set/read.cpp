#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/extended_stateful_set/spec.hpp"
#include "api/fields.hpp"
#include "api/jobs/job.hpp"
#include "api/revisions.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"
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
constexpr Duration blue_green_delay = 30s;
constexpr std::size_t version_digits_max = 9;
constexpr std::size_t label_key_max = 317;  // a prefix of 253 characters, a slash, a name of 63

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

std::optional<UpgradeJob> read_job(const Fields& strategy, std::string_view key) {
    const auto fields = strategy.object(key, !required);
    if (!fields) return std::nullopt;
    UpgradeJob job;
    job.extended_job = fields->name("extendedJob", !required);
    job.pod_template = fields->json("template", template_max, !required);
    if (fields->has("extendedJob") == fields->has("template"))
        fields->fault_here("must name an ExtendedJob or have a template, and not both");
    if (const auto templated = fields->object("template", !required))
        jobs::containers_in(*templated);
    if (const auto deadline = fields->number("deadlineSeconds", deadline_range))
        job.deadline = std::chrono::seconds{*deadline};
    return job;
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
    const bool is_blue_green = fields.flag("blueGreen").value_or(false);
    strategy.scale_down_delay =
        seconds("scaleDownDelaySeconds", is_blue_green ? blue_green_delay : Duration{0});
    strategy.keeps_stale = fields.choice("whenStale", {"ScaleDown", "Keep"}) == 1;
    if (const auto gates = fields.object("gates", !required)) {
        strategy.gates = gates::read_gates(*gates);
        if (const auto call = gates->object("analysis", !required))
            strategy.analysis = analysis::read_call(*call);
    }
    strategy.before = read_job(fields, "preUpgrade");
    strategy.after = read_job(fields, "postUpgrade");
    return strategy;
}

// A StatefulSet may want more than are kept.
std::optional<int> read_history_limit(const Fields& fields) {
    const json::value* limit = fields.find("revisionHistoryLimit");
    if (!limit || !limit->is_int64()) return std::nullopt;
    return static_cast<int>(std::clamp<std::int64_t>(limit->get_int64(), 0, revisions_max));
}

// The spec of a StatefulSet, as far as we have to know it; the API server checks the rest.
void read_set_spec(const Fields& fields, Spec& spec) {
    spec.wanted = fields.number("replicas", replicas_range);
    if (const auto seconds = fields.number("minReadySeconds", seconds_range))
        spec.min_ready = std::chrono::seconds{*seconds};
    spec.volumes = read_volumes(fields);
    spec.revisions_max = read_history_limit(fields).value_or(spec.revisions_max);
    const auto order = fields.choice("podManagementPolicy", {"OrderedReady", "Parallel"});
    spec.is_ordered = order == 0;
    if (spec.volumes.templates.size() * static_cast<std::size_t>(spec.zones.count()) > claims_max)
        fields.fault("volumeClaimTemplates",
                     fmt::format("make more than {} claims for each ordinal", claims_max));
    if (fields.has("ordinals"))
        fields.fault("ordinals", "cannot be chosen: the pods of a version are counted from 0");
    fields.object("selector", required);
    fields.object("template", required);
}

// The name of a zone becomes the value of a label.
void add_zone(const Fields& fields, std::string_view key, const json::value& value, Zones& zones) {
    const json::string* name = value.if_string();
    if (!name || name->empty() || !is_label_value(*name))
        return fields.fault(key, "has an entry that is no name of a zone");
    if (std::ranges::find(zones.names, std::string_view{*name}) != zones.names.end())
        return fields.fault(key, "names a zone twice");
    zones.names.emplace_back(*name);
}

// `az` is another name for `zones`, which may be empty.
Zones read_zones(const Fields& fields) {
    Zones zones;
    const std::string_view key = fields.has("zones") ? "zones" : "az";
    if (fields.has("zones") && fields.has("az"))
        fields.fault("az", "is another name for zones; leave one of them out");
    const json::value* value = fields.find(key);
    if (value && value->is_array() && value->get_array().size() > zones_max)
        fields.fault(key, fmt::format("has more than {} entries", zones_max));
    else if (value && value->is_array())
        for (const json::value& one : value->get_array())
            add_zone(fields, key, one, zones);
    else if (value)
        fields.fault(key, "must be a list of zones");
    const std::string label = fields.text("zoneNodeLabel", label_key_max, !required);
    if (!label.empty()) zones.node_label = label;
    return zones;
}

// The later one is another name for the earlier.
bool follows_config(const Fields& fields) {
    const auto earlier = fields.flag(config_fields[0]), later = fields.flag(config_fields[1]);
    if (earlier && later)
        fields.fault(config_fields[1], fmt::format("is another name for {}; leave one of them out",
                                                   config_fields[0]));
    return earlier.value_or(false) || later.value_or(false);
}

// What is no part of a version.
void erase_unversioned(json::object& set, const Volumes& volumes) {
    set.stable_erase("replicas");
    if (volumes.templates.empty()) return;
    set.stable_erase("volumeClaimTemplates");
    set.stable_erase("persistentVolumeClaimRetentionPolicy");
}

// What needs the pods of two versions at once.
void refuse_company(const Fields& fields, const Spec& spec) {
    const auto strategy = fields.object("updateStrategy", !required);
    if (!spec.hands_over() || !strategy) return;
    constexpr const char* why =
        "needs the pods of both versions at once, and these have their volumes in turn";
    if (strategy->flag("blueGreen").value_or(false)) strategy->fault("blueGreen", why);
    if (spec.strategy.keeps_stale) strategy->fault("whenStale", why);
}

Spec read_fields(const Fields& fields, const std::string& ns) {
    Spec spec;
    spec.zones = read_zones(fields);
    if (const auto scaling = fields.object("scaling", !required))
        spec.scaling = read_scaling(*scaling);
    if (const auto strategy = fields.object("updateStrategy", !required))
        spec.strategy = read_strategy(*strategy);
    spec.set = fields.json("template", template_max, required);
    if (const auto set = fields.object("template", required))
        if (const auto inner = set->object("spec", required)) read_set_spec(*inner, spec);
    refuse_company(fields, spec);
    json::value set = model::parse_json(spec.set);
    if (json::object* inner = set.is_object() && set.get_object().contains("spec")
                                  ? set.get_object()["spec"].if_object()
                                  : nullptr)
        erase_unversioned(*inner, spec.volumes);
    spec.set = json::serialize(set);
    if (follows_config(fields)) spec.references = references_in(set, ns);
    if (spec.references.size() > references_max)
        fields.fault("template",
                     fmt::format("names more than {} ConfigMaps and Secrets", references_max));
    spec.replicas = PodCount{spec.scaling.nearest(spec.wanted.value_or(spec.scaling.min ? 0 : 1))};
    if (spec.pods().value > replicas_max)
        fields.fault("zones", fmt::format("have more than {} pods together", replicas_max));
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
    auto spec = read_part(object.spec, "spec", [&](const Fields& fields) {
        return read_fields(fields, object.meta.key.ns);
    });
    const bool has_zones = spec && !spec->zones.names.empty();
    const std::size_t length_max = has_zones ? zoned_name_length_max : name_length_max;
    if (object.meta.key.name.size() <= length_max) return spec;
    FieldErrors errors = spec ? FieldErrors{} : std::move(spec.error());
    errors.push_back({"metadata.name",
                      fmt::format("has more than {} characters; the labels of its pods would be "
                                  "too long",
                                  length_max)});
    return std::unexpected(std::move(errors));
}

std::string digest_of(const model::CustomObject& object, const Spec& spec) {
    std::string text = object.meta.uid + spec.set;
    for (const std::string& zone : spec.zones.names)
        text += fmt::format(";{}={}", spec.zones.node_label, zone);
    for (const ClaimTemplate& claim : spec.volumes.templates)
        text += fmt::format(";claim={}", claim.name);
    return hex_digest(text);
}

std::string revision_of(int version) {
    return fmt::format("v{}", version);
}

int version_text(std::string_view text) {
    if (text.empty() || text.size() > version_digits_max || text[0] == '0') return 0;
    return std::max(0, whole_number<int>(text).value_or(0));
}

int version_in(std::string_view revision) {
    return revision.starts_with('v') ? version_text(revision.substr(1)) : 0;
}

std::string set_name(std::string_view owner, const SetId& id) {
    return id.zone ? fmt::format("{}-z{}-v{}", owner, *id.zone, id.version)
                   : fmt::format("{}-v{}", owner, id.version);
}

std::optional<SetId> set_id(std::string_view owner, std::string_view name) {
    const std::size_t at = name.rfind("-v");
    if (at == std::string_view::npos) return std::nullopt;
    SetId id{.version = version_in(name.substr(at + 1))};
    const std::string_view rest = name.substr(0, at);
    if (rest.size() > owner.size() + 2 && rest.substr(owner.size()).starts_with("-z"))
        id.zone = whole_number<int>(rest.substr(owner.size() + 2));
    const bool is_called_so =
        id.version > 0 && id.zone.value_or(0) >= 0 && set_name(owner, id) == name;
    return is_called_so ? std::optional{id} : std::nullopt;
}

}  // namespace sluice::api::extended_stateful_set
