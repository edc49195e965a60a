#include "api/rollout_plugin/declarations.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <expected>
#include <set>
#include <utility>

#include "api/inquiry/strict_yaml.hpp"
#include "api/rollout_plugin/location.hpp"
#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::api::rollout_plugin {

namespace {

namespace json = boost::json;

constexpr std::size_t name_bytes_max = 128;
constexpr std::size_t list_max = 64;  // people declare three plugins with two arguments
constexpr std::size_t key_bytes_max = 64;
const std::string document = "data.rolloutPlugins";

template <class T>
using Read = std::expected<T, FieldError>;

// One part, or two with a slash between them, as in "argoproj/statefulset".
bool is_plugin_name(std::string_view name) {
    if (name.empty() || name.size() > name_bytes_max) return false;
    if (name.front() == '/' || name.back() == '/' || std::ranges::count(name, '/') > 1) {
        return false;
    }
    return std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./").contains(c);
    });
}

// A small YAML document that is a list of mappings of names to texts or lists of texts, with at
// most 64 entries, fields and texts in a list.
using EntryValue = std::variant<std::string, std::vector<std::string>>;
using Entry = std::map<std::string, EntryValue>;

Read<EntryValue> read_texts(const json::array& list, const std::string& field) {
    if (list.size() > list_max) return wrong(field, "has more than 64 texts");
    std::vector<std::string> texts;
    for (const json::value& one : list) {
        if (!one.is_string()) return wrong(field, "must be a list of texts");
        texts.emplace_back(one.get_string());
    }
    return texts;
}

Read<EntryValue> read_value(const json::value& value, const std::string& field) {
    if (const auto* text = value.if_string()) return std::string{*text};
    if (const auto* list = value.if_array()) return read_texts(*list, field);
    return wrong(field,
                 value.is_null() ? "must not be empty" : "must be a text or a list of texts");
}

Read<Entry> read_entry(const json::value& value, const std::string& field) {
    const auto* mapping = value.if_object();
    if (!mapping) return wrong(field, "must be a mapping");
    if (mapping->size() > list_max) return wrong(field, "has more than 64 fields");
    Entry entry;
    for (const auto& [key, inner] : *mapping) {
        if (key.empty()) return wrong(field, "a key must be a text");
        const std::string_view name = key;
        Read<EntryValue> read = read_value(inner, field + "." + printable(name, key_bytes_max));
        if (!read) return std::unexpected(read.error());
        entry.emplace(name, *std::move(read));
    }
    return entry;
}

// The field of the error is a path below the document: "[2].args", or empty.
Read<std::vector<Entry>> read_entries(const std::string& text) {
    const auto yaml = read_strictly(text);
    if (!yaml) return std::unexpected(yaml.error());
    std::vector<Entry> entries;
    if (yaml->is_null()) return entries;
    const auto* list = yaml->if_array();
    if (!list) return wrong("", "must be a list");
    if (list->size() > list_max) return wrong("", "has more than 64 entries");
    for (const json::value& one : *list) {
        Read<Entry> entry = read_entry(one, "[" + std::to_string(entries.size()) + "]");
        if (!entry) return std::unexpected(entry.error());
        entries.push_back(*std::move(entry));
    }
    return entries;
}

// One entry, whose fields are taken out as they are understood: what is left over is not known.
class EntryReader {
  public:
    explicit EntryReader(Entry entry) : left_(std::move(entry)) {}

    // Empty: it is not there.
    Read<std::string> text(const std::string& field) {
        const auto node = left_.extract(field);
        if (!node) return std::string();
        auto* text = std::get_if<std::string>(&node.mapped());
        if (!text) return wrong(field, "must be a text");
        if (text->empty()) return wrong(field, "must not be empty");
        if (text->contains('\0')) return wrong(field, "must not hold a NUL");
        return std::move(*text);
    }
    Read<std::vector<std::string>> texts(const std::string& field) {
        const auto node = left_.extract(field);
        if (!node) return std::vector<std::string>();
        auto* texts = std::get_if<std::vector<std::string>>(&node.mapped());
        if (!texts) return wrong(field, "must be a list of texts");
        const bool has_nul =
            std::ranges::any_of(*texts, [](const std::string& one) { return one.contains('\0'); });
        if (has_nul) return wrong(field, "must not hold a NUL");
        return std::move(*texts);
    }
    std::optional<FieldError> unknown() const {
        if (left_.empty()) return std::nullopt;
        return FieldError{printable(left_.begin()->first, 64),
                          "is not known; there are name, location, sha256, args, caFile, certFile "
                          "and keyFile"};
    }

  private:
    Entry left_;
};

struct Declared {
    std::string name;
    std::optional<PluginAddress> address;
};

Read<PluginTls> read_tls(EntryReader& entry) {
    PluginTls tls;
    for (const auto& [field, into] :
         {std::pair{"caFile", &PluginTls::ca_file}, std::pair{"certFile", &PluginTls::cert_file},
          std::pair{"keyFile", &PluginTls::key_file}}) {
        auto path = entry.text(field);
        if (!path) return std::unexpected(path.error());
        if (!path->empty() && !is_plain_path(*path)) {
            return wrong(field, "must be an absolute path, without \"..\" and the like");
        }
        tls.*into = std::move(*path);
    }
    if (tls.cert_file.empty() != tls.key_file.empty()) {
        return wrong("certFile", "and keyFile must come together");
    }
    return tls;
}

Read<std::optional<PluginAddress>> read_address(EntryReader& entry) {
    const auto location = entry.text("location");
    if (!location) return std::unexpected(location.error());
    if (location->empty()) return wrong("location", "must be given");
    Result<std::optional<PluginAddress>> read = read_location(*location);
    if (!read) return wrong("location", read.error().message);
    std::optional<PluginAddress> address = std::move(*read);

    const auto sha256 = entry.text("sha256");
    if (!sha256) return std::unexpected(sha256.error());
    auto args = entry.texts("args");
    if (!args) return std::unexpected(args.error());
    auto tls = read_tls(entry);
    if (!tls) return std::unexpected(tls.error());

    auto* program = address ? std::get_if<PluginProgram>(&*address) : nullptr;
    auto* endpoint = address ? std::get_if<PluginEndpoint>(&*address) : nullptr;
    if (!program && !sha256->empty()) return wrong("sha256", "is for file:// locations only");
    if (!program && !args->empty()) return wrong("args", "is for file:// locations only");
    if (*tls != PluginTls{} && !(endpoint && endpoint->tls)) {
        return wrong("caFile", "and the like are for grpcs:// locations only");
    }
    if (endpoint && endpoint->tls) endpoint->tls = std::move(*tls);
    if (program) {
        if (!sha256->empty()) {
            auto digest = read_sha256(*sha256);
            if (!digest) return wrong("sha256", "must be 64 hex digits");
            program->sha256 = std::move(*digest);
        }
        program->args = std::move(*args);
    }
    return address;
}

Read<Declared> read_declaration(Entry fields) {
    EntryReader entry(std::move(fields));
    auto name = entry.text("name");
    if (!name) return std::unexpected(name.error());
    if (name->empty()) return wrong("name", "must be given");
    if (!is_plugin_name(*name)) {
        return wrong("name", "may hold letters, digits, \"-\", \"_\", \".\" and one slash");
    }
    auto address = read_address(entry);
    if (!address) return std::unexpected(address.error());
    if (auto unknown = entry.unknown()) return std::unexpected(std::move(*unknown));
    return Declared{std::move(*name), std::move(*address)};
}

// A name that was declared twice means neither: nobody knows which one was meant.
void add(PluginDeclarations& all, std::set<std::string>& seen, const std::string& where,
         Read<Declared> read) {
    if (!read) {
        const std::string& field = read.error().field;
        all.errors.push_back(
            {field.starts_with('[') ? where + field : where + "." + field, read.error().what});
        return;
    }
    if (!seen.insert(read->name).second) {
        all.plugins.erase(read->name);
        all.errors.push_back({where + ".name", quoted(read->name) + " is declared twice"});
        return;
    }
    all.plugins.emplace(std::move(read->name), std::move(read->address));
}

}  // namespace

PluginDeclarations read_declarations(const std::string& text) {
    PluginDeclarations all;
    auto entries = read_entries(text);
    if (!entries) {
        all.errors.push_back({document + entries.error().field, entries.error().what});
        return all;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < entries->size(); ++i) {
        add(all, seen, document + "[" + std::to_string(i) + "]",
            read_declaration(std::move((*entries)[i])));
    }
    return all;
}

Settings read_settings(const std::map<std::string, std::string>& data) {
    const auto found = data.find("rolloutPlugins");
    PluginDeclarations declared =
        found == data.end() ? PluginDeclarations{} : read_declarations(found->second);
    std::vector<std::string> problems;
    problems.reserve(declared.errors.size());
    for (const FieldError& error : declared.errors)
        problems.push_back("argo-rollouts-config: " + to_text(FieldErrors{error}));
    return {std::make_shared<const PluginCatalogue>(std::move(declared)), std::move(problems)};
}

std::optional<std::vector<NamedProgram>> programs_in(const engine::OwnSettings& settings) {
    const auto* catalogue = dynamic_cast<const PluginCatalogue*>(&settings);
    if (!catalogue) return std::nullopt;
    std::vector<NamedProgram> programs;
    for (const auto& [name, address] : catalogue->declared.plugins)
        if (const auto* program = address ? std::get_if<PluginProgram>(&*address) : nullptr)
            programs.emplace_back(name, *program);
    return programs;
}

std::expected<PluginAddress, FieldError> address_of(std::string_view url, std::string_view sha256,
                                                    bool verify,
                                                    std::string_view allowed_directory) {
    const auto invalid = [](std::string_view field, std::string what) {
        return wrong("spec.plugin." + std::string(field), std::move(what));
    };
    Result<std::optional<PluginAddress>> read = read_location(url);
    if (!read) return invalid("url", read.error().message);
    std::optional<PluginAddress> address = std::move(*read);
    auto* program = address ? std::get_if<PluginProgram>(&*address) : nullptr;
    if (!program) {
        return invalid("url",
                       "only file:// may be named here; declare the plugin in the ConfigMap "
                       "argo-rollouts-config instead");
    }
    if (allowed_directory.empty()) {
        return invalid("url",
                       "this operator starts no programs that a rollout names; declare the "
                       "plugin in the ConfigMap argo-rollouts-config instead");
    }
    if (!is_plain_path(allowed_directory) || !is_below(program->path, allowed_directory)) {
        return invalid("url", "must be below " + printable(allowed_directory));
    }
    if (sha256.empty()) {
        if (verify) return invalid("sha256", "must be given when verify is true");
    } else {
        auto digest = read_sha256(sha256);
        if (!digest) return invalid("sha256", "must be 64 hex digits");
        program->sha256 = std::move(*digest);
    }
    program->below = allowed_directory;
    return std::move(*program);
}

}  // namespace sluice::api::rollout_plugin
