#include "cli/manifests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

#include "api/registry.hpp"
#include "base/assert.hpp"
#include "base/names.hpp"
#include "cli/foreign_definitions.hpp"
#include "cli/older_servers.hpp"
#include "deploy/embedded.hpp"

namespace sluice::cli {

namespace {

using deploy::embedded_manifest;
using deploy::embedded_manifests;
using deploy::EmbeddedManifest;

constexpr std::size_t image_length_max = 1024;  // far above what registries take

// rbac/shop-everywhere.yaml binds a role everywhere; namespaced/shop.yaml binds it in one
// namespace.
constexpr std::string_view roles = "rbac/";
constexpr std::string_view bound_everywhere = "-everywhere.yaml";

struct Component {
    std::string_view name;
    std::array<std::string_view, 3> paths;  // files, and folders that end in '/'; "" is none
};

// In the order in which they are applied: names before rights, rights before the gate, and the
// gate before the operator that relies on it.
constexpr std::array components{
    Component{"crds", {"crds/"}},
    Component{"rbac", {"namespace.yaml", "serviceaccount.yaml", roles}},
    Component{"policies", {"policies/"}},
    Component{"deployment", {"flowschema.yaml", "deployment.yaml"}},
};

std::unexpected<Error> invalid(std::string sentence) {
    return failure(ErrorKind::Invalid, std::move(sentence));
}

std::optional<int> take_number(std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<KubeVersion> read_version(std::string_view text) {
    if (text.starts_with('v')) text.remove_prefix(1);
    const std::optional<int> major = take_number(text);
    if (!major || !text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
    const std::optional<int> minor = take_number(text);
    const bool ends_well = text.empty() || text.starts_with('.') || text.starts_with('+');
    if (!minor || !ends_well) return std::nullopt;
    return KubeVersion{*major, *minor};
}

bool is_lower_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_image_reference(std::string_view text) {
    const auto is_word = [](char c) {
        return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && text.size() <= image_length_max && is_word(text.front()) &&
           is_word(text.back()) && std::ranges::all_of(text, [&](char c) {
               return is_word(c) || std::string_view{".-/:@"}.contains(c);
           });
}

bool is_component(std::string_view name) {
    return name == "all" ||
           std::ranges::find(components, name, &Component::name) != components.end();
}

std::string in_namespace(std::string_view path) {
    path.remove_prefix(roles.size());
    path.remove_suffix(bound_everywhere.size());
    return fmt::format("namespaced/{}.yaml", path);
}

std::string adapted(const EmbeddedManifest& file, const ManifestsOptions& options) {
    if (file.path.ends_with(bound_everywhere) && !options.namespaces.empty()) {
        std::string result;
        for (const std::string& name : options.namespaces)
            result +=
                "---\n" + with_line(embedded_manifest(in_namespace(file.path)),
                                    "namespace: NAMESPACE\n", fmt::format("namespace: {}\n", name));
        return result;
    }
    std::string text = "---\n" + std::string{file.text};
    if (file.path != "deployment.yaml") return text;
    text = with_line(text, "image: sluice:latest\n", fmt::format("image: {}\n", options.image));
    std::string flags = "            - operator\n";
    if (!options.namespaces.empty())
        flags += fmt::format("            - --namespace={}\n", fmt::join(options.namespaces, ","));
    if (!options.apis.empty())
        flags += fmt::format("            - --apis={}\n", fmt::join(options.apis, ","));
    return with_line(text, "            - operator\n", flags);
}

// The definition of its objects, and whatever begins with its name.
bool is_only_for(const api::Api& api, std::string_view path) {
    const std::string_view file = path.substr(path.find('/') + 1);
    const bool defines = api.resource && file == fmt::format("{}.{}.yaml", api.resource->plural,
                                                             api.resource->group);
    return path.contains('/') && (defines || file.starts_with(fmt::format("{}-", api.name)) ||
                                  file == fmt::format("{}.yaml", api.name));
}

// Policies take rights away, and those of others do no harm.
bool is_needed(const EmbeddedManifest& file, const ManifestsOptions& options) {
    if (file.path.starts_with("policies/")) return true;
    return std::ranges::none_of(api::apis(), [&](const api::Api& api) {
        return !api::is_served(api, api::apis(), options.apis) && is_only_for(api, file.path);
    });
}

std::string text_of(const Component& component, const ManifestsOptions& options) {
    const auto is_listed = [](std::string_view file, std::string_view path) {
        return path.ends_with('/') ? file.starts_with(path) : file == path;
    };
    std::string result;
    for (const std::string_view path : component.paths)
        for (const EmbeddedManifest& file : embedded_manifests())
            if (is_listed(file.path, path) && is_needed(file, options))
                result += adapted(file, options);
    SLUICE_ASSERT(!result.empty());
    return result;
}

// What the cluster has already decides which definitions are for us to write.
Result<std::string> as_installed(const Component& component, std::string text,
                                 const std::string& installed) {
    if (installed.empty() || component.name != "crds") return text;
    std::ifstream file(installed);
    std::ostringstream read;
    if (!(read << file.rdbuf()) && !file.eof())
        return invalid(fmt::format("--installed: {} cannot be read.", installed));
    return without_foreign(text, read.str());
}

}  // namespace

Result<std::string> manifests(const ManifestsOptions& options) {
    for (const std::string& name : options.components)
        if (!is_component(name))
            return invalid(fmt::format(
                "\"{}\" is not one of crds, rbac, policies, deployment and all.", name));
    const std::optional<KubeVersion> version = read_version(options.kube_version);
    if (!version)
        return invalid(
            fmt::format("\"{}\" is not a Kubernetes version such as 1.36.", options.kube_version));
    if (!is_image_reference(options.image))
        return invalid(fmt::format("\"{}\" is not an image such as sluice:1.0.", options.image));
    for (const std::string& name : options.namespaces)
        if (!is_dns_label(name))
            return invalid(fmt::format("\"{}\" is not the name of a namespace.", name));
    for (const std::string& name : options.apis)
        if (!api::find_api(name))
            return invalid(
                fmt::format("\"{}\" is not one of {}.", name, fmt::join(api::api_names(), ", ")));

    const auto is_wanted = [&](std::string_view name) {
        return std::ranges::find(options.components, name) != options.components.end();
    };
    const bool all = options.components.empty() || is_wanted("all");
    std::string result;
    for (const Component& component : components) {
        if (!all && !is_wanted(component.name)) continue;
        const auto older = text_for_older(component.name, *version);
        const auto text = as_installed(component, older ? *older : text_of(component, options),
                                       options.installed);
        if (!text) return text;
        result += *text;
    }
    return result;
}

int run_manifests(const ManifestsOptions& options, std::ostream& out, std::ostream& err) {
    const Result<std::string> text = manifests(options);
    if (!text) {
        err << text.error().message << '\n';
        return 2;
    }
    out << *text;
    return 0;
}

}  // namespace sluice::cli
