#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/analysis/call.hpp"
#include "api/fields.hpp"
#include "api/rollout_plugin/spec.hpp"
#include "base/go_duration.hpp"
#include "base/names.hpp"

namespace sluice::api::rollout_plugin {
namespace {

// The bounds of deploy/crds/rolloutplugins.argoproj.io.yaml.
constexpr std::size_t steps_max = 100;
constexpr std::size_t duration_max = 64;
constexpr std::size_t api_version_max = 317;
constexpr std::size_t kind_max = 63;
constexpr std::size_t plugin_name_max = 253;
constexpr std::size_t url_max = 2048;
constexpr std::size_t sha256_length = 64;
constexpr std::size_t config_bytes_max = 64u << 10;  // what a whole spec has at most
constexpr Range weight_range{0, 100};
constexpr Range history_range{0, 100};
constexpr Range ready_range{0, 86'400};        // a day
constexpr Range deadline_range{1, 2'592'000};  // 30 days
constexpr Range step_range{0, 99};
constexpr Range starting_range{0, 100};
constexpr std::int64_t pause_seconds_max = 2'592'000;

std::optional<Duration> seconds_in(std::string_view digits) {
    if (digits.empty() || digits.size() > 7 ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::int64_t seconds = 0;
    for (const char digit : digits)
        seconds = seconds * 10 + (digit - '0');
    if (seconds > pause_seconds_max) return std::nullopt;
    return std::chrono::seconds{seconds};
}

Pause read_pause(const Fields& fields) {
    const boost::json::value* value = fields.find("duration");
    if (!value) return {};
    if (value->is_string()) {
        const std::string_view text = value->get_string();
        const auto duration = text.size() > duration_max ? std::nullopt : parse_go_duration(text);
        if (const auto found = duration ? duration : seconds_in(text)) return {found};
    } else if (value->is_number()) {
        boost::system::error_code error;
        const auto seconds = value->to_number<std::int64_t>(error);
        if (!error && seconds >= 0 && seconds <= pause_seconds_max)
            return {Duration{std::chrono::seconds{seconds}}};
    }
    fields.fault("duration",
                 "must be at most 30 days: seconds, such as 30, or a duration, such as 5m or "
                 "1h30m");
    return {};
}

Step read_step(const Fields& fields) {
    for (const char* key :
         {"setCanaryScale", "experiment", "setHeaderRoute", "setMirrorRoute", "plugin"})
        if (fields.has(key)) {
            fields.fault(key, "is not served; a step is setWeight, pause or analysis");
            return {};
        }
    const int kinds = fields.has("setWeight") + fields.has("pause") + fields.has("analysis");
    if (kinds != 1) {
        fields.fault_here("must have exactly one of setWeight, pause and analysis");
        return {};
    }
    if (fields.has("setWeight"))
        return SetWeight{fields.number("setWeight", weight_range).value_or(0)};
    if (const auto pause = fields.object("pause", !required)) return read_pause(*pause);
    if (const auto call = fields.object("analysis", !required)) return analysis::read_call(*call);
    return {};
}

void read_strategy(const Fields& fields, Spec& spec) {
    fields.choice("type", {"", "Canary"});
    if (fields.has("blueGreen")) fields.fault("blueGreen", "is not served; the strategy is canary");
    const auto canary = fields.object("canary", required);
    if (!canary) return;
    for (const Fields& step : canary->list("steps", steps_max))
        spec.steps.push_back(read_step(step));
    const auto analysis = canary->object("analysis", !required);
    if (!analysis) return;
    spec.background =
        BackgroundAnalysis{analysis::read_call(*analysis),
                           analysis->number("startingStep", starting_range).value_or(0)};
    if (spec.background->starting_step > 0 &&
        static_cast<std::size_t>(spec.background->starting_step) >= spec.steps.size())
        analysis->fault("startingStep",
                        "must be the number of a step, counted from 0, or the analysis would "
                        "never begin");
}

WorkloadRef read_workload(const Fields& fields, const std::string& ns) {
    WorkloadRef workload;
    workload.api_version = fields.text("apiVersion", api_version_max, required);
    workload.kind = fields.text("kind", kind_max, required);
    workload.name = fields.name("name", required);
    const std::string named = fields.text("namespace", label_bytes_max, !required);
    if (!named.empty() && named != ns)
        fields.fault("namespace", "must be the namespace of the RolloutPlugin, or left out");
    return workload;
}

bool is_hexadecimal(std::string_view text) {
    return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

Plugin read_plugin(const Fields& fields) {
    Plugin plugin;
    plugin.name = fields.text("name", plugin_name_max, required);
    plugin.url = fields.text("url", url_max, !required);
    constexpr std::array<std::string_view, 4> schemes{"builtin://", "file://", "http://",
                                                      "https://"};
    if (!plugin.url.empty() && std::ranges::none_of(schemes, [&](std::string_view scheme) {
            return plugin.url.starts_with(scheme);
        }))
        fields.fault("url", "must begin with builtin://, file://, http:// or https://");
    plugin.sha256 = fields.text("sha256", sha256_length, !required);
    if (!plugin.sha256.empty() &&
        (plugin.sha256.size() != sha256_length || !is_hexadecimal(plugin.sha256)))
        fields.fault("sha256", "must be 64 hexadecimal digits");
    plugin.verify = fields.flag("verify").value_or(false);
    if (plugin.verify && !fields.has("sha256"))
        fields.fault("sha256", "is required where verify is true");
    plugin.config = fields.json("config", config_bytes_max, !required);
    return plugin;
}

// The deadline and its other names.
void read_deadline(const Fields& fields, const Fields* config, Spec& spec) {
    const auto seconds = fields.number("progressDeadlineSeconds", deadline_range);
    const auto abort = fields.flag("progressDeadlineAbort");
    const auto timeout = config ? config->number("timeoutSeconds", deadline_range) : std::nullopt;
    const auto timeout_abort = config ? config->flag("timeoutAbort") : std::nullopt;
    if (seconds && timeout && *seconds != *timeout)
        fields.fault("progressDeadlineSeconds",
                     "and plugin.config.timeoutSeconds contradict each other; leave one of them "
                     "out");
    if (abort && timeout_abort && *abort != *timeout_abort)
        fields.fault("progressDeadlineAbort",
                     "and plugin.config.timeoutAbort contradict each other; leave one of them "
                     "out");
    if (const auto found = seconds ? seconds : timeout)
        spec.progress_deadline = std::chrono::seconds{*found};
    spec.abort_at_deadline = abort.value_or(timeout_abort.value_or(false));
}

Spec read_fields(const Fields& fields, const std::string& ns) {
    Spec spec;
    const auto workload = fields.object("workloadRef", required);
    if (workload) spec.workload = read_workload(*workload, ns);
    const auto plugin = fields.object("plugin", required);
    if (plugin) spec.plugin = read_plugin(*plugin);
    if (const auto strategy = fields.object("strategy", required)) read_strategy(*strategy, spec);
    const bool is_set = is_stateful_set(spec.workload.api_version, spec.workload.kind);
    const bool is_named = !spec.workload.api_version.empty() && !spec.workload.kind.empty();
    if (is_named && is_built_in(spec.plugin.name) && !is_set)
        fields.fault("workloadRef", needs_stateful_set);
    if (const auto limits = fields.object("analysis", !required)) {
        spec.history.successful =
            limits->number("successfulRunHistoryLimit", history_range).value_or(5);
        spec.history.unsuccessful =
            limits->number("unsuccessfulRunHistoryLimit", history_range).value_or(5);
    }
    spec.paused = fields.flag("paused").value_or(false);
    spec.on_failure = static_cast<OnFailure>(fields.choice("onFailure", {"Hold", "Rollback"}));
    spec.min_ready =
        std::chrono::seconds{fields.number("minReadySeconds", ready_range).value_or(0)};
    const auto config =
        plugin && !spec.plugin.config.empty() ? plugin->object("config", !required) : std::nullopt;
    read_deadline(fields, config ? &*config : nullptr, spec);
    spec.restart_at = fields.number("restartAt", step_range);
    if (spec.restart_at && static_cast<std::size_t>(*spec.restart_at) >= spec.steps.size())
        fields.fault("restartAt", "must be the number of a step, counted from 0");
    return spec;
}

}  // namespace

bool is_built_in(std::string_view plugin) {
    return plugin == "statefulset" || plugin == "statefulset-plugin" ||
           plugin == "argoproj/statefulset";
}

bool is_stateful_set(std::string_view api_version, std::string_view kind) {
    return api_version == "apps/v1" && kind == "StatefulSet";
}

std::expected<Spec, FieldErrors> read_spec(const model::CustomObject& object) {
    return read_part(object.spec, "spec",
                     [&](const Fields& fields) { return read_fields(fields, object.meta.key.ns); });
}

}  // namespace sluice::api::rollout_plugin
