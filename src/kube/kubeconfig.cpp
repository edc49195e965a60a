#include "kube/kubeconfig.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <map>

#include "kube/kubeconfig_entries.hpp"
#include "kube/kubeconfig_fields.hpp"
#include "kube/sentence.hpp"
#include "model/yaml.hpp"

namespace sluice::kube {
namespace {

// The three lists of a kubeconfig; the key inside an entry is the singular.
struct ListName {
    const char* plural;
    const char* singular;
};
constexpr ListName contexts{"contexts", "context"};
constexpr ListName clusters{"clusters", "cluster"};
constexpr ListName users{"users", "user"};

struct Entry {
    KubeconfigFields fields;
    std::filesystem::path folder;
};
using Entries = std::map<std::string, Entry>;

struct Merged {
    std::string origin;  // "kubeconfig /x/y:", or "kubeconfig /x/y and 2 more:"
    bool is_one_file = true;
    std::string current_context;
    Entries contexts;
    Entries clusters;
    Entries users;
};

// Adds the entries of one file to those of earlier files, which win.
void merge_list(KubeconfigFields& root, ListName list, const std::filesystem::path& folder,
                Entries& into) {
    Entries own;
    for (KubeconfigFields& item : root.mappings(list.plural)) {
        const std::string name = item.text("name");
        if (name.empty()) item.complain("name", "is not set");
        const std::string where = fmt::format("{}[name={}].{}", root.where(list.plural),
                                              printable(name, 100), list.singular);
        const bool is_new =
            own.emplace(name, Entry{KubeconfigFields(item.raw(list.singular), where), folder})
                .second;
        if (!is_new)
            root.complain(list.plural,
                          fmt::format("has two entries named {}; remove one", in_quotes(name)));
    }
    into.merge(own);
}

void judge_type(KubeconfigFields& root) {
    const std::string version = root.text("apiVersion");
    if (!version.empty() && version != "v1") root.complain("apiVersion", "must be v1");
    const std::string kind = root.text("kind");
    if (!kind.empty() && kind != "Config")
        root.complain("kind", "must be Config; this file is something else");
}

Result<void> merge_file(const KubeconfigText& file, Merged& into) {
    const std::string origin = fmt::format("kubeconfig {}:", file.path);
    if (file.text.reveal().size() > kubeconfig_bytes_max)
        return failure(ErrorKind::TooLarge, fmt::format("{} is larger than {} KiB", origin,
                                                        kubeconfig_bytes_max / 1024));
    auto documents = model::read_yaml(file.text.reveal());
    if (!documents)
        return failure(ErrorKind::Malformed, fmt::format("{} {}", origin, documents.error().what));
    if (documents->empty()) documents->emplace_back(nullptr);
    KubeconfigFields root(std::move(documents->front()), origin);
    std::error_code no_working_folder;  // then the path stays as it is
    const auto folder = std::filesystem::absolute(file.path, no_working_folder).parent_path();
    judge_type(root);
    merge_list(root, contexts, folder, into.contexts);
    merge_list(root, clusters, folder, into.clusters);
    merge_list(root, users, folder, into.users);
    if (into.current_context.empty()) into.current_context = root.text("current-context");
    if (auto judged = root.judged(); !judged) return std::unexpected(judged.error());
    return {};
}

Result<Merged> merge(const std::vector<KubeconfigText>& files) {
    if (files.empty())
        return failure(ErrorKind::Unreadable,
                       "no kubeconfig was given; set KUBECONFIG or name a file");
    Merged merged;
    merged.is_one_file = files.size() == 1;
    merged.origin =
        merged.is_one_file
            ? fmt::format("kubeconfig {}:", files.front().path)
            : fmt::format("kubeconfig {} and {} more:", files.front().path, files.size() - 1);
    for (const KubeconfigText& file : files) {
        if (auto done = merge_file(file, merged); !done) return std::unexpected(done.error());
    }
    return merged;
}

// "dev, test, ..." for the person who mistyped one.
std::string some_names(const Entries& entries) {
    constexpr std::size_t names_max = 5;
    std::string names;
    std::size_t count = 0;
    for (const auto& [name, entry] : entries) {
        if (count == names_max) return names + ", ...";
        names += fmt::format("{}{}", count++ == 0 ? "" : ", ", printable(name, 100));
    }
    return names.empty() ? "none" : names;
}

Result<std::string> chosen_context(const Merged& merged, const std::string& asked) {
    const std::string& name = asked.empty() ? merged.current_context : asked;
    if (name.empty())
        return failure(ErrorKind::Invalid,
                       fmt::format("{} current-context is not set; name one of the contexts: {}",
                                   merged.origin, some_names(merged.contexts)));
    if (!merged.contexts.contains(name))
        return failure(ErrorKind::Invalid,
                       fmt::format("{} there is no context {}; the contexts are: {}", merged.origin,
                                   in_quotes(name), some_names(merged.contexts)));
    return name;
}

// The entry that a context's field names; a complaint in `context` and nothing if there is none.
const Entry* referred(KubeconfigFields& context, ListName list, const Entries& entries,
                      bool is_one_file) {
    const std::string name = context.text(list.singular);
    const auto found = entries.find(name);
    if (!name.empty() && found != entries.end()) return &found->second;
    if (name.empty())
        context.complain(list.singular, "is not set");
    else
        context.complain(list.singular,
                         fmt::format("names {} {}, which is {}", list.singular, in_quotes(name),
                                     is_one_file ? "not in the file" : "in none of the files"));
    return nullptr;
}

bool is_namespace_name(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    };
    return name.size() <= 63 && std::ranges::all_of(name, fits);
}

}  // namespace

Result<KubeconfigTarget> read_kubeconfig(const std::vector<KubeconfigText>& files,
                                         const std::string& context) {
    const Result<Merged> merged = merge(files);
    if (!merged) return std::unexpected(merged.error());
    const Result<std::string> name = chosen_context(*merged, context);
    if (!name) return std::unexpected(name.error());

    KubeconfigFields fields = merged->contexts.at(*name).fields;
    const Entry* cluster_entry = referred(fields, clusters, merged->clusters, merged->is_one_file);
    const Entry* user_entry = referred(fields, users, merged->users, merged->is_one_file);
    const std::string ns = fields.text("namespace");
    if (!is_namespace_name(ns)) fields.complain("namespace", "is not the name of a namespace");
    if (auto judged = fields.judged(); !judged) return std::unexpected(judged.error());

    Result<ClusterEntry> cluster = read_cluster(cluster_entry->fields, cluster_entry->folder);
    if (!cluster) return std::unexpected(cluster.error());
    Result<UserEntry> user = read_user(user_entry->fields, user_entry->folder);
    if (!user) return std::unexpected(user.error());
    return KubeconfigTarget{*name, ns, *std::move(cluster), *std::move(user)};
}

}  // namespace sluice::kube
