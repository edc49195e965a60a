#include <algorithm>
#include <array>

#include "api/inquiry/strict_yaml.hpp"
#include "api/inquiry/url.hpp"
#include "api/pilot/hooks/built_in.hpp"
#include "api/pilot/hooks/yaml_fields.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::pilot {

namespace {

// A ConfigMap holds 1 MiB at most; a catalogue that long is a mistake, not a need.
constexpr std::size_t entries_max = 256;
constexpr Duration timeout_min = 1s;
constexpr Duration timeout_max = 5min;

template <class T>
using Read = std::expected<T, FieldError>;

Read<void> check_known(const Fields& fields) {
    constexpr std::array<std::string_view, 5> known{"caSecret", "headersSecret", "timeout", "url",
                                                    "when"};
    for (const auto& [key, value] : fields) {
        if (std::ranges::find(known, key) == known.end()) {
            return wrong(printable(key, 64),
                         "is not a field; url, timeout, when, caSecret and headersSecret are");
        }
    }
    return {};
}

Read<std::string> read_url(const Fields& fields) {
    const auto given = fields.find("url");
    if (given == fields.end()) return wrong("url", "is missing");
    const Result<Url> checked = api::read_url(given->second, "headersSecret");
    if (!checked) return wrong("url", checked.error().message);
    return given->second;
}

Read<Duration> read_timeout(const Fields& fields) {
    const auto given = fields.find("timeout");
    if (given == fields.end()) return ExternalHook{}.timeout;
    const std::optional<Duration> timeout = parse_duration(given->second);
    if (!timeout) {
        return wrong("timeout", quoted(given->second) + " is not a duration such as 10s");
    }
    if (*timeout < timeout_min || *timeout > timeout_max) {
        return wrong("timeout", quoted(given->second) + " is not between 1s and 5m");
    }
    return *timeout;
}

Read<When> read_when(const Fields& fields) {
    const auto given = fields.find("when");
    if (given == fields.end() || given->second == "ready") return When::Ready;
    if (given->second == "running") return When::Running;
    return wrong("when", quoted(given->second) + " is neither ready nor running");
}

Read<std::string> read_secret_name(const Fields& fields, const std::string& field) {
    const auto given = fields.find(field);
    if (given == fields.end()) return "";
    if (!is_dns_subdomain(given->second)) {
        return wrong(field, quoted(given->second) + " is not the name of a Secret");
    }
    return given->second;
}

Read<ExternalHook> read_fields(const Fields& fields) {
    const Read<void> known = check_known(fields);
    if (!known) return std::unexpected(known.error());
    const Read<std::string> url = read_url(fields);
    if (!url) return std::unexpected(url.error());
    const Read<Duration> timeout = read_timeout(fields);
    if (!timeout) return std::unexpected(timeout.error());
    const Read<When> when = read_when(fields);
    if (!when) return std::unexpected(when.error());
    const Read<std::string> ca_secret = read_secret_name(fields, "caSecret");
    if (!ca_secret) return std::unexpected(ca_secret.error());
    const Read<std::string> headers_secret = read_secret_name(fields, "headersSecret");
    if (!headers_secret) return std::unexpected(headers_secret.error());
    if (!ca_secret->empty() && !url->starts_with("https://")) {
        return wrong("caSecret", "is of no use with a url that begins with http://");
    }
    return ExternalHook{*url, *timeout, *ca_secret, *headers_secret, *when};
}

Read<ExternalHook> read_entry(const std::string& name, const std::string& text) {
    if (is_built_in(name)) {
        return wrong("", "the hook of this name is built in and cannot be declared anew");
    }
    if (!is_label_value(name)) {
        return wrong("",
                     "the name cannot be the value of a label: letters, digits, \"-\", \"_\" "
                     "and \".\", at most 63, a letter or digit first and last");
    }
    const Read<Fields> fields = read_yaml_fields(text);
    if (!fields) return std::unexpected(fields.error());
    return read_fields(*fields);
}

Error with_path(const std::string& name, const FieldError& error) {
    const bool is_element = error.field.starts_with('[');
    const std::string field = (error.field.empty() || is_element ? "" : ".") + error.field;
    return {ErrorKind::Invalid,
            "sluice-hooks: data." + printable(name, 63) + field + ": " + error.what};
}

}  // namespace

HookCatalogue read_catalogue(const std::map<std::string, std::string>& data) {
    HookCatalogue catalogue;
    for (const auto& [name, text] : data) {
        const Read<ExternalHook> entry = catalogue.external.size() < entries_max
                                             ? read_entry(name, text)
                                             : wrong("", "only the first 256 entries are read");
        if (entry) {
            catalogue.external.emplace(name, *entry);
        } else {
            catalogue.external.emplace(name, std::unexpected(with_path(name, entry.error())));
        }
    }
    return catalogue;
}

Settings read_settings(const std::map<std::string, std::string>& data) {
    auto hooks = std::make_shared<HookCatalogue>(read_catalogue(data));
    std::vector<std::string> problems;
    for (const auto& [name, hook] : hooks->external)
        if (!hook) problems.push_back(hook.error().message);
    return {std::move(hooks), std::move(problems)};
}

}  // namespace sluice::api::pilot
