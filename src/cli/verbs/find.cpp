#include "cli/verbs/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <tuple>

#include "base/names.hpp"
#include "base/printable.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

void add(View& view, const api::Dialect& dialect, api::Steered steered) {
    if (!steered.workload) {
        const model::ObjectKey key{steered.object.meta.key.ns, dialect.workload_of(steered.object)};
        const auto workload = view.workloads.find(key);
        if (workload != view.workloads.end()) steered.workload = workload->second;
    }
    if (dialect.is_steered(steered)) view.found.push_back({&dialect, std::move(steered)});
}

bool is_meant(const Found& found, const Wanted& wanted) {
    const bool any = !wanted.dialect;
    const bool named = found.steered.object.meta.key.name == wanted.name;
    if (named && (any || found.dialect == wanted.dialect)) return true;
    const bool by_workload = any || api::is_of_workload(*wanted.dialect);
    return by_workload && found.dialect->workload_of(found.steered.object) == wanted.name;
}

std::string place(const std::string& ns) {
    return ns.empty() ? "any namespace" : "namespace " + ns;
}

std::string shell_word(const std::string& text) {
    const auto is_plain = [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view{"/._-:@+=,"}.contains(static_cast<char>(c));
    };
    if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
    std::string quoted = "'";
    for (const char c : text)
        quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
    return quoted + "'";
}

}  // namespace

std::expected<Wanted, std::string> parse_name(const std::string& text) {
    const std::size_t slash = text.find('/');
    Wanted wanted;
    wanted.name = slash == std::string::npos ? text : text.substr(slash + 1);
    if (!is_dns_subdomain(wanted.name))
        return std::unexpected(fmt::format("{} is not the name of an object", quoted(text)));
    if (slash == std::string::npos) return wanted;
    wanted.dialect = api::find_dialect(std::string_view{text}.substr(0, slash));
    if (!wanted.dialect)
        return std::unexpected(fmt::format("{} is not a kind that is steered; these are: {}",
                                           quoted(text.substr(0, slash)), api::kinds_text()));
    return wanted;
}

View assemble(const Told& told) {
    View view;
    for (const boost::json::object& object : told.workloads) {
        auto workload = api::read_workload(object);
        if (!workload) {
            view.left_out.push_back(workload.error().message);
            continue;
        }
        const model::ObjectKey key = workload->set.meta.key;
        view.workloads.insert_or_assign(key, std::move(*workload));
    }
    for (const auto& [dialect, objects] : told.objects)
        for (const boost::json::object& object : objects) {
            auto steered = api::read_steered(*dialect, object);
            if (steered)
                add(view, *dialect, std::move(*steered));
            else if (!api::is_of_workload(*dialect))
                view.left_out.push_back(steered.error().message);
        }
    std::ranges::sort(view.found, {}, [](const Found& one) {
        return std::tuple{one.steered.object.meta.key, one.dialect->api};
    });
    return view;
}

Result<View> look(Server& server, const std::string& ns, const api::Dialect* only) {
    Told told;
    std::vector<std::string> unseen;
    auto workloads = server.list(model::statefulsets, ns);
    if (!workloads) return std::unexpected(workloads.error());
    told.workloads = std::move(*workloads);
    for (const api::Dialect* dialect : api::dialects()) {
        if (api::is_of_workload(*dialect)) {
            told.objects[dialect] = told.workloads;
            continue;
        }
        if (only && only != dialect && !api::is_of_workload(*only)) continue;
        auto objects = server.list(*dialect->resource, ns);
        if (!objects && objects.error().kind == ErrorKind::NotFound) continue;
        // Who works with one API need not have rights for the others.
        const bool may_miss = !objects && objects.error().kind == ErrorKind::Forbidden;
        if (may_miss && only != dialect) {
            unseen.push_back(objects.error().message);
            continue;
        }
        if (!objects) return std::unexpected(objects.error());
        told.objects[dialect] = std::move(*objects);
    }
    View view = assemble(told);
    view.left_out.insert(view.left_out.end(), unseen.begin(), unseen.end());
    return view;
}

std::expected<const Found*, std::string> choose(const View& view, const Wanted& wanted,
                                                const std::string& ns) {
    std::vector<const Found*> meant;
    for (const Found& one : view.found)
        if (is_meant(one, wanted)) meant.push_back(&one);
    if (meant.size() == 1) return meant.front();
    if (!meant.empty()) {
        std::string titles;
        for (const Found* one : meant)
            titles += fmt::format("{}{}", titles.empty() ? "" : ", ", one->steered.title);
        return std::unexpected(fmt::format("\"{}\" may mean {}; say which.", wanted.name, titles));
    }
    const bool may_be_workload = !wanted.dialect || api::is_of_workload(*wanted.dialect);
    const auto workload = view.workloads.find({ns, wanted.name});
    if (may_be_workload && workload != view.workloads.end())
        return std::unexpected(api::why_not_steered(workload->second));
    const std::string kind =
        wanted.dialect ? std::string{wanted.dialect->names.front()} + "/" : std::string{};
    std::string sentence =
        fmt::format("Nothing that is steered is called {}{} in {}.", kind, wanted.name, place(ns));
    if (!view.left_out.empty())
        sentence += " Not everything could be looked at: " + view.left_out.front();
    return std::unexpected(std::move(sentence));
}

Result<void> read_history(Server& server, Found& found) {
    const api::History& kept = found.dialect->history;
    if (!kept.resource) return {};
    const model::ObjectKey& key = found.steered.object.meta.key;
    const auto objects =
        server.list(*kept.resource, key.ns, fmt::format("{}={}", kept.label, key.name));
    if (!objects) return std::unexpected(objects.error());
    api::add_history(*found.dialect, *objects, found.steered);
    return {};
}

std::string command_text(const Asked& asked, const std::string& verb, const Found& found) {
    std::string text = fmt::format("{} {} {} -n {}", asked.program, verb, found.steered.title,
                                   found.steered.object.meta.key.ns);
    if (!asked.context.empty()) text += " --context " + shell_word(asked.context);
    if (!asked.kubeconfig.empty()) text += " --kubeconfig " + shell_word(asked.kubeconfig);
    return text;
}

}  // namespace sluice::cli
