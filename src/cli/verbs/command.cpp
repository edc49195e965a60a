#include "cli/verbs/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>

#include "base/names.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs/change.hpp"
#include "cli/verbs/explain.hpp"
#include "cli/verbs/get.hpp"
#include "net/clock.hpp"

namespace sluice::cli {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

int complain(const std::string& sentence, int code = exit_failed) {
    std::cerr << "sluice: " << safe(sentence) << '\n';
    return code;
}

Style style_of_output() {
    if (isatty(STDOUT_FILENO)) return style_of_terminal();
    Style style;
    style.colour = false;
    return style;
}

void print(const std::vector<Line>& lines) {
    const Style style = style_of_output();
    for (const Line& line : lines)
        std::cout << terminal::written(line, style) << '\n';
}

// A kind and a name, if one was typed.
std::expected<std::optional<Wanted>, std::string> wanted_in(const Asked& asked) {
    if (asked.name.empty()) return std::nullopt;
    auto wanted = parse_name(asked.name);
    if (!wanted) return std::unexpected(wanted.error());
    return std::move(*wanted);
}

std::expected<std::vector<const Found*>, std::string> selected(const View& view,
                                                               const std::optional<Wanted>& wanted,
                                                               const std::string& ns) {
    if (wanted) {
        const auto one = choose(view, *wanted, ns);
        if (!one) return std::unexpected(one.error());
        return std::vector{*one};
    }
    std::vector<const Found*> found;
    found.reserve(view.found.size());
    for (const Found& one : view.found)
        found.push_back(&one);
    return found;
}

int get(Server& server, const Asked& asked, const std::optional<Wanted>& wanted, Instant now) {
    const std::string ns = asked.all_namespaces ? "" : server.ns();
    const auto view = look(server, ns, wanted ? wanted->dialect : nullptr);
    if (!view) return complain(view.error().message);
    for (const std::string& why : view->left_out)
        complain("something is missing below: " + why);
    const auto found = selected(*view, wanted, ns);
    if (!found) return complain(found.error());
    if (asked.output == Output::Json) {
        std::cout << get_json(*found);
    } else if (found->empty()) {
        std::cerr << (ns.empty() ? "Nothing is steered in any namespace.\n"
                                 : fmt::format("Nothing is steered in namespace {}.\n", ns));
    } else {
        print(get_lines(*found, asked, now));
    }
    return view->left_out.empty() ? 0 : exit_failed;
}

int explain(Server& server, const Asked& asked, const Wanted& wanted, Instant now) {
    const auto view = look(server, server.ns(), wanted.dialect);
    if (!view) return complain(view.error().message);
    const auto found = choose(*view, wanted, server.ns());
    if (!found) return complain(found.error());
    const Explanation all = gather(server, asked, **found, now);
    if (asked.output == Output::Json)
        std::cout << explain_json(all, now);
    else
        print(explain_lines(all, style_of_output(), now));
    return 0;
}

int tell_change(Server& server, const Asked& asked, const Wanted& wanted, api::Verb verb,
                Instant now) {
    const auto done = change(server, asked, wanted, verb, now);
    if (!done) return complain(done.error());
    std::cout << safe(*done) << '\n';
    return 0;
}

CLI::Validator object_name() {
    return {[](std::string& text) {
                const auto wanted = parse_name(text);
                return wanted ? std::string{} : wanted.error();
            },
            ""};
}

// What each verb does, for who reads its help at night.
struct VerbHelp {
    const char* word;
    api::Verb verb;
    const char* short_help;
    const char* footer;
};
constexpr VerbHelp helps[] = {
    {"promote", api::Verb::Promote, "End the pause of a step, or with --full skip all steps",
     "Only for rollouts with steps. The others are let go by a hook or by checks; the refusal says "
     "what to do instead.\nExample: sluice promote rp/web -n shop"},
    {"pause", api::Verb::Pause, "Hold a rollout where it is",
     "No pod is touched; pods that are being replaced right now come up. resume lets it go "
     "on.\nExample: sluice pause sts/web -n shop"},
    {"resume", api::Verb::Resume, "Let a rollout that is paused go on",
     "Example: sluice resume sts/web -n shop"},
    {"abort", api::Verb::Abort, "Take the pods that were updated back to the old revision",
     "Only for rollouts with steps; for others the refusal says what to do "
     "instead.\nExample: sluice abort rp/web -n shop"},
    {"retry", api::Verb::Retry, "Try a rollout that failed or was aborted again",
     "Example: sluice retry sts/web -n shop"},
};

}  // namespace

struct VerbCommands::State {
    Asked asked;
    CLI::App* get = nullptr;
    CLI::App* explain = nullptr;
    std::vector<CLI::App*> changes;  // in the order of `helps`
    bool full = false;
    std::string output;

    void add_cluster_flags(CLI::App& command);
    void add_name(CLI::App& command, bool is_required);
    void add_output(CLI::App& command, const std::vector<std::string>& names);
    const VerbHelp* typed_change() const;
};

void VerbCommands::State::add_cluster_flags(CLI::App& command) {
    const auto add = [](CLI::Option* option) { option->group("Cluster"); };
    add(command.add_option("--kubeconfig", asked.kubeconfig,
                           "File to reach the cluster with; without it: KUBECONFIG, then "
                           "~/.kube/config, then the pod's service account"));
    add(command.add_option("--context", asked.context, "Context of the kubeconfig to use"));
    add(command.add_option("-n,--namespace", asked.ns, "Namespace (default: that of the context)")
            ->check([](const std::string& text) {
                return is_dns_label(text) ? std::string{}
                                          : "\"" + safe(text) + "\" is not the name of a namespace";
            }));
}

void VerbCommands::State::add_name(CLI::App& command, bool is_required) {
    CLI::Option* name =
        command.add_option("NAME", asked.name,
                           "What is steered, as NAME or KIND/NAME; the name of its workload will "
                           "do. Kinds: " +
                               api::kinds_text());
    name->check(object_name())->type_name("");
    if (is_required) name->required();
}

void VerbCommands::State::add_output(CLI::App& command, const std::vector<std::string>& names) {
    command.add_option("-o,--output", output, "How to print it (default: text)")
        ->check(CLI::IsMember(names));
}

const VerbHelp* VerbCommands::State::typed_change() const {
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (changes[i]->parsed()) return &helps[i];
    return nullptr;
}

VerbCommands::VerbCommands(CLI::App& app, std::string program) : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.asked.program = std::move(program);
    const auto add = [&](const char* word, const char* help) {
        CLI::App* command = app.add_subcommand(word, help);
        command->group("Rollouts");
        return command;
    };
    state.get = add("get", "List everything that is steered, and what it waits for");
    state.add_name(*state.get, false);
    state.add_cluster_flags(*state.get);
    state.get->add_flag("-A,--all-namespaces", state.asked.all_namespaces, "In all namespaces")
        ->group("Cluster")
        ->excludes("--namespace");
    state.add_output(*state.get, {"wide", "json"});
    state.explain = add("explain", "Say what a rollout does, why it waits, and what to type");
    state.add_name(*state.explain, true);
    state.add_cluster_flags(*state.explain);
    state.add_output(*state.explain, {"json"});
    for (const VerbHelp& help : helps) {
        CLI::App* command = add(help.word, help.short_help);
        state.add_name(*command, true);
        state.add_cluster_flags(*command);
        command->footer(help.footer);
        state.changes.push_back(command);
    }
    state.changes.front()->add_flag("--full", state.full, "Skip all steps that are left");
}

VerbCommands::~VerbCommands() = default;

bool VerbCommands::is_parsed() const {
    return state_->get->parsed() || state_->explain->parsed() || state_->typed_change();
}

int VerbCommands::run() {
    State& state = *state_;
    if (state.output == "wide") state.asked.output = Output::Wide;
    if (state.output == "json") state.asked.output = Output::Json;
    const auto wanted = wanted_in(state.asked);
    if (!wanted) return complain(wanted.error(), exit_usage);
    auto server = Server::open(state.asked);
    if (!server) return complain(server.error().message);
    const Instant now = net::Clock{}.now();
    if (state.get->parsed()) return get(**server, state.asked, *wanted, now);
    const std::optional<Wanted>& one = *wanted;
    if (!one) return complain("name what you mean", exit_usage);
    if (state.explain->parsed()) return explain(**server, state.asked, *one, now);
    const api::Verb verb = state.full ? api::Verb::PromoteFull : state.typed_change()->verb;
    return tell_change(**server, state.asked, *one, verb, now);
}

std::string program_name(const std::string& called) {
    const std::size_t slash = called.rfind('/');
    const std::string name = slash == std::string::npos ? called : called.substr(slash + 1);
    return name == "kubectl-sluice" ? "kubectl sluice" : "sluice";
}

}  // namespace sluice::cli
