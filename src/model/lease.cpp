#include "model/lease.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "base/text.hpp"
#include "model/json_text.hpp"

namespace sluice::model {
namespace {

namespace json = boost::json;

constexpr std::size_t text_max = 64u << 10;
// A lease that nobody renews is free after an hour at the latest, whatever it says.
constexpr std::int64_t lease_seconds_max = 3600;

std::int64_t number_at(const json::value& whole, std::string_view pointer, std::int64_t otherwise) {
    const json::value* found = value_at(whole, pointer);
    return found && found->is_int64() ? found->get_int64() : otherwise;
}

}  // namespace

std::string encode(const Fence& fence) {
    return fence.lease + "/" + std::to_string(fence.transitions);
}

std::optional<Fence> decode_fence(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto transitions = whole_number<std::int64_t>(text.substr(slash + 1));
    if (!transitions) return std::nullopt;
    return Fence{std::string{text.substr(0, slash)}, *transitions};
}

bool is_newer(const Fence& fence, const Fence& than) {
    return fence.lease == than.lease && fence.transitions > than.transitions;
}

Result<Lease> decode_lease(const std::string& text) {
    const json::value value = text.size() > text_max ? json::value{} : parse_json(text);
    if (!value.is_object())
        return failure(ErrorKind::Malformed, "the Lease cannot be read: it is not a JSON object");
    Lease lease;
    lease.resource_version = text_at(value, "/metadata/resourceVersion");
    lease.uid = text_at(value, "/metadata/uid");
    lease.holder = text_at(value, "/spec/holderIdentity");
    const std::int64_t seconds = number_at(value, "/spec/leaseDurationSeconds", 15);
    lease.duration = std::chrono::seconds{std::clamp<std::int64_t>(seconds, 1, lease_seconds_max)};
    lease.renewed = text_at(value, "/spec/renewTime");
    lease.transitions = number_at(value, "/spec/leaseTransitions", 0);
    if (lease.resource_version.empty())
        return failure(ErrorKind::Malformed, "the Lease has no metadata.resourceVersion");
    return lease;
}

std::string encode_lease(const Lease& lease, const std::string& ns, const std::string& name,
                         Instant acquired, Instant renewed) {
    json::object metadata{{"name", name}, {"namespace", ns}};
    if (!lease.resource_version.empty()) metadata["resourceVersion"] = lease.resource_version;
    const json::object spec{{"holderIdentity", lease.holder},
                            {"leaseDurationSeconds", lease.duration / 1s},
                            {"acquireTime", to_rfc3339_micro(acquired)},
                            {"renewTime", to_rfc3339_micro(renewed)},
                            {"leaseTransitions", lease.transitions}};
    return json::serialize(json::object{{"apiVersion", "coordination.k8s.io/v1"},
                                        {"kind", "Lease"},
                                        {"metadata", metadata},
                                        {"spec", spec}});
}

}  // namespace sluice::model
