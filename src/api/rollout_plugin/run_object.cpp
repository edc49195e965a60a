#include "api/rollout_plugin/run_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/analysis/runs.hpp"
#include "api/rollout_plugin/decide.hpp"
#include "base/hash.hpp"
#include "base/names.hpp"

namespace sluice::api::rollout_plugin {
namespace {

namespace json = boost::json;

// `text` with what a name cannot hold turned into "-", cut, and a digest of all of it behind.
std::string shortened(const std::string& text, std::size_t bytes_max) {
    const std::string digest = fmt::format("-{:016x}", fnv1a(text));
    std::string name = text.substr(0, bytes_max - digest.size());
    for (char& c : name) {
        const bool is_fit = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
        else if (!is_fit)
            c = '-';
    }
    const std::size_t begin = std::min(name.find_first_not_of('-'), name.size());
    return (begin == name.size() ? "run" : name.substr(begin)) + digest;
}

json::object texts(const std::map<std::string, std::string>& from) {
    json::object into;
    for (const auto& [key, value] : from)
        into[key] = value;
    return into;
}

}  // namespace

std::string label_value(const std::string& name) {
    return is_label_value(name) ? name : shortened(name, label_bytes_max);
}

std::string run_name(const RunPurpose& purpose) {
    const auto occasion = static_cast<std::uint32_t>(fnv1a(purpose.occasion));
    std::string name = fmt::format("{}-{}-{:08x}", purpose.rollout, purpose.revision, occasion);
    if (purpose.step) name += fmt::format("-{}", *purpose.step);
    return is_dns_subdomain(name) ? name : shortened(name, subdomain_bytes_max);
}

std::string run_body(const RunPurpose& purpose, const analysis::RunSpec& spec) {
    json::object labels = texts(purpose.labels);
    labels[label::rollout_type] = purpose.step ? "Step" : "Background";
    labels[label::rollout_plugin_name] = label_value(purpose.rollout);
    if (purpose.step)
        labels[label::step_index] = std::to_string(*purpose.step);
    else
        labels.erase(label::step_index);
    return analysis::run_body({.ns = purpose.ns,
                               .name = run_name(purpose),
                               .owner_kind = &resource,
                               .owner = purpose.rollout,
                               .owner_uid = purpose.rollout_uid,
                               .labels = std::move(labels),
                               .annotations = purpose.annotations},
                              spec);
}

}  // namespace sluice::api::rollout_plugin
