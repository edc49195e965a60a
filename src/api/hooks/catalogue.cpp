#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/hooks/built_in.hpp"
#include "api/inquiry/strict_yaml.hpp"
#include "api/inquiry/url.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::hooks {

namespace {

// A ConfigMap holds 1 MiB at most; a catalogue that long is a mistake, not a need.
constexpr std::size_t entries_max = 256;
constexpr Duration timeout_min = 1s;
constexpr Duration timeout_max = 5min;
constexpr std::size_t fields_max = 64;  // four are known; the rest are only there to be named
constexpr std::size_t key_bytes_max = 64;

template <class T>
using Read = std::expected<T, FieldError>;
using Fields = std::map<std::string, std::string>;

// A document that is one flat mapping of names to texts.
Read<Fields> read_yaml_fields(const std::string& text) {
    const auto document = read_strictly(text);
    if (!document) return std::unexpected(document.error());
    const auto* mapping = document->if_object();
    if (!mapping) return wrong("", "must be a mapping with the field url");
    if (mapping->size() > fields_max) return wrong("", "has more than 64 fields");
    Fields fields;
    for (const auto& [key, value] : *mapping) {
        const auto field = [&key] { return printable(std::string_view{key}, key_bytes_max); };
        if (value.is_null()) return wrong(field(), "must not be empty");
        if (!value.is_string()) return wrong(field(), "must be a text, not a list or a mapping");
        fields.emplace(key, value.get_string());
    }
    return fields;
}

// What is wrong with one of the fields, which are read into the hook; nothing: it is fine.
using Wrong = std::optional<FieldError>;

Wrong check_known(const Fields& fields, ExternalHook&) {
    constexpr std::array<std::string_view, 5> known{"caSecret", "headersSecret", "timeout", "url",
                                                    "when"};
    for (const auto& [key, value] : fields)
        if (std::ranges::find(known, key) == known.end())
            return FieldError{printable(key, 64),
                              "is not a field; url, timeout, when, caSecret and headersSecret are"};
    return std::nullopt;
}

Wrong read_url(const Fields& fields, ExternalHook& hook) {
    const auto given = fields.find("url");
    if (given == fields.end()) return FieldError{"url", "is missing"};
    const Result<Url> checked = api::read_url(given->second, "headersSecret");
    if (!checked) return FieldError{"url", checked.error().message};
    hook.url = given->second;
    return std::nullopt;
}

Wrong read_timeout(const Fields& fields, ExternalHook& hook) {
    const auto given = fields.find("timeout");
    if (given == fields.end()) return std::nullopt;
    const std::optional<Duration> timeout = parse_duration(given->second);
    if (!timeout)
        return FieldError{"timeout", quoted(given->second) + " is not a duration such as 10s"};
    if (*timeout < timeout_min || *timeout > timeout_max)
        return FieldError{"timeout", quoted(given->second) + " is not between 1s and 5m"};
    hook.timeout = *timeout;
    return std::nullopt;
}

Wrong read_when(const Fields& fields, ExternalHook& hook) {
    const auto given = fields.find("when");
    if (given == fields.end() || given->second == "ready") return std::nullopt;
    if (given->second != "running")
        return FieldError{"when", quoted(given->second) + " is neither ready nor running"};
    hook.when = When::Running;
    return std::nullopt;
}

Wrong read_secrets(const Fields& fields, ExternalHook& hook) {
    for (const auto& [field, into] : {std::pair{"caSecret", &ExternalHook::ca_secret},
                                      std::pair{"headersSecret", &ExternalHook::headers_secret}}) {
        const auto given = fields.find(field);
        if (given == fields.end()) continue;
        if (!is_dns_subdomain(given->second))
            return FieldError{field, quoted(given->second) + " is not the name of a Secret"};
        hook.*into = given->second;
    }
    if (!hook.ca_secret.empty() && !hook.url.starts_with("https://"))
        return FieldError{"caSecret", "is of no use with a url that begins with http://"};
    return std::nullopt;
}

Read<ExternalHook> read_fields(const Fields& fields) {
    ExternalHook hook;
    for (const auto read : {check_known, read_url, read_timeout, read_when, read_secrets})
        if (Wrong found = read(fields, hook)) return std::unexpected(std::move(*found));
    return hook;
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

}  // namespace sluice::api::hooks
