#include "kube/kubeconfig_fields.hpp"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "base/base64.hpp"

namespace sluice::kube {
namespace json = boost::json;

KubeconfigFields::KubeconfigFields(json::value mapping, std::string where)
    : KubeconfigFields(std::move(mapping), std::move(where),
                       std::make_shared<std::optional<Error>>()) {}

KubeconfigFields::KubeconfigFields(json::value mapping, std::string where,
                                   std::shared_ptr<std::optional<Error>> complaint)
    : where_(std::move(where)), complaint_(std::move(complaint)) {
    if (mapping.is_object())
        fields_ = std::move(mapping.get_object());
    else if (!mapping.is_null())
        complain_at(where_, "must be a mapping");
}

const json::value* KubeconfigFields::find(std::string_view key) const {
    const json::value* value = fields_.if_contains(key);
    return value != nullptr && value->is_null() ? nullptr : value;
}

const json::array& KubeconfigFields::list(std::string_view key) {
    static const json::array nothing;
    const json::value* value = find(key);
    if (value == nullptr) return nothing;
    if (value->is_array()) return value->get_array();
    complain(key, "must be a list");
    return nothing;
}

bool KubeconfigFields::has(std::string_view key) const {
    const json::value* value = find(key);
    if (value == nullptr) return false;
    if (value->is_string()) return !value->get_string().empty();
    if (value->is_array()) return !value->get_array().empty();
    if (value->is_object()) return !value->get_object().empty();
    return true;
}

std::string KubeconfigFields::text(std::string_view key) {
    const json::value* value = find(key);
    if (value == nullptr) return {};
    if (value->is_string()) return std::string(value->get_string());
    complain(key, "must be a string; put the value in quotes");
    return {};
}

Redacted KubeconfigFields::secret(std::string_view key) {
    return Redacted(text(key));
}

Redacted KubeconfigFields::base64(std::string_view key) {
    std::optional<Redacted> bytes = decode_base64(text(key));
    if (bytes) return *std::move(bytes);
    complain(key, "is not valid base64");
    return {};
}

bool KubeconfigFields::flag(std::string_view key) {
    const json::value* value = find(key);
    if (value == nullptr) return false;
    if (value->is_bool()) return value->get_bool();
    complain(key, "must be true or false");
    return false;
}

std::vector<std::string> KubeconfigFields::texts(std::string_view key) {
    std::vector<std::string> all;
    for (const json::value& item : list(key)) {
        if (item.is_string())
            all.emplace_back(item.get_string());
        else
            complain(fmt::format("{}[{}]", key, all.size()),
                     "must be a string; put the value in quotes");
    }
    return all;
}

KubeconfigFields KubeconfigFields::mapping(std::string_view key) {
    return {raw(key), where(key), complaint_};
}

std::vector<KubeconfigFields> KubeconfigFields::mappings(std::string_view key) {
    std::vector<KubeconfigFields> all;
    for (const json::value& item : list(key))
        all.push_back({item, fmt::format("{}[{}]", where(key), all.size()), complaint_});
    return all;
}

json::value KubeconfigFields::raw(std::string_view key) const {
    const json::value* value = find(key);
    return value == nullptr ? json::value(nullptr) : *value;
}

std::string KubeconfigFields::where(std::string_view key) const {
    const bool is_root = where_.ends_with(':');
    return fmt::format("{}{}{}", where_, is_root ? " " : ".", key);
}

void KubeconfigFields::complain(std::string_view key, std::string_view what) {
    complain_at(where(key), what);
}

Result<void> KubeconfigFields::judged() const {
    const std::optional<Error>& complaint = *complaint_;
    if (complaint) return std::unexpected(*complaint);
    return {};
}

void KubeconfigFields::complain_at(const std::string& where, std::string_view what) {
    if (!*complaint_) *complaint_ = Error{ErrorKind::Invalid, fmt::format("{} {}", where, what)};
}

}  // namespace sluice::kube
