#include "model/lease.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>

namespace sluice::model {
namespace {

namespace json = boost::json;

constexpr std::size_t text_max = 64u << 10;
// A lease that nobody renews is free after an hour at the latest, whatever it says.
constexpr std::int64_t lease_seconds_max = 3600;

std::string text_at(const json::object& object, const char* key) {
    const json::value* value = object.if_contains(key);
    return value && value->is_string() ? std::string{value->get_string()} : std::string{};
}

std::int64_t number_at(const json::object& object, const char* key, std::int64_t otherwise) {
    const json::value* value = object.if_contains(key);
    return value && value->is_int64() ? value->get_int64() : otherwise;
}

const json::object& object_at(const json::object& object, const char* key) {
    static const json::object nothing;
    const json::value* value = object.if_contains(key);
    return value && value->is_object() ? value->get_object() : nothing;
}

}  // namespace

std::string encode(const Fence& fence) {
    return fence.lease + "/" + std::to_string(fence.transitions);
}

std::optional<Fence> decode_fence(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    Fence fence{std::string{text.substr(0, slash)}, 0};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, fence.transitions);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return fence;
}

bool is_newer(const Fence& fence, const Fence& than) {
    return fence.lease == than.lease && fence.transitions > than.transitions;
}

Result<Lease> decode_lease(const std::string& text) {
    boost::system::error_code error;
    const json::value value = text.size() > text_max ? json::value{} : json::parse(text, error);
    if (error || !value.is_object())
        return failure(ErrorKind::Malformed, "the Lease cannot be read: it is not a JSON object");
    const json::object& spec = object_at(value.get_object(), "spec");
    Lease lease;
    lease.resource_version = text_at(object_at(value.get_object(), "metadata"), "resourceVersion");
    lease.uid = text_at(object_at(value.get_object(), "metadata"), "uid");
    lease.holder = text_at(spec, "holderIdentity");
    const std::int64_t seconds = number_at(spec, "leaseDurationSeconds", 15);
    lease.duration = std::chrono::seconds{std::clamp<std::int64_t>(seconds, 1, lease_seconds_max)};
    lease.renewed = text_at(spec, "renewTime");
    lease.transitions = number_at(spec, "leaseTransitions", 0);
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
