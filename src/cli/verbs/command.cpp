#include "cli/verbs/command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/names.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs/change.hpp"
#include "cli/verbs/explain.hpp"
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
    {"undo", api::Verb::Undo, "Put the template before the last change back",
     "Only for what keeps its templates itself; for the others the refusal says what to type "
     "instead.\nExample: sluice undo stc/coder -n shop"},
};

}  // namespace

VerbCommands::VerbCommands(CLI::App& app, std::string program)
    : get_(add(app, "get", "List everything that is steered, and what it waits for", false)),
      explain_(
          add(app, "explain", "Say what a rollout does, why it waits, and what to type", true)) {
    asked_.program = std::move(program);
    get_->add_flag("-A,--all-namespaces", asked_.all_namespaces, "In all namespaces")
        ->excludes("--namespace");
    add_output(*get_, {"wide", "json"});
    add_output(*explain_, {"json"});
    for (const VerbHelp& help : helps) {
        changes_.push_back(add(app, help.word, help.short_help, true));
        changes_.back()->footer(help.footer);
    }
    changes_.back()
        ->add_option("--to-revision", asked_.revision,
                     "The revision to go back to, as sluice explain shows it (default: the one "
                     "before)")
        ->group("Options");
    changes_.front()->add_flag("--full", full_, "Skip all steps that are left")->group("Options");
}

CLI::App* VerbCommands::add(CLI::App& app, const char* word, const char* help, bool needs_name) {
    CLI::App* command = app.add_subcommand(word, help)->group("Rollouts");
    command
        ->add_option("NAME", asked_.name,
                     "What is steered, as NAME or KIND/NAME; the name of its workload will do. "
                     "Kinds: " +
                         api::kinds_text())
        ->check(object_name())
        ->type_name("")
        ->required(needs_name);
    command->option_defaults()->group("Cluster");
    command->add_option("--kubeconfig", asked_.kubeconfig,
                        "File to reach the cluster with; without it: KUBECONFIG, then "
                        "~/.kube/config, then the pod's service account");
    command->add_option("--context", asked_.context, "Context of the kubeconfig to use");
    command->add_option("-n,--namespace", asked_.ns, "Namespace (default: that of the context)")
        ->check([](const std::string& text) {
            return is_dns_label(text) ? std::string{}
                                      : "\"" + safe(text) + "\" is not the name of a namespace";
        });
    return command;
}

void VerbCommands::add_output(CLI::App& command, const std::vector<std::string>& names) {
    command.add_option("-o,--output", output_, "How to print it (default: text)")
        ->check(CLI::IsMember(names))
        ->group("Options");
}

bool VerbCommands::is_parsed() const {
    return get_->parsed() || explain_->parsed() || std::ranges::any_of(changes_, &CLI::App::parsed);
}

int VerbCommands::run() {
    if (output_ == "wide") asked_.output = Output::Wide;
    if (output_ == "json") asked_.output = Output::Json;
    std::optional<Wanted> wanted;
    if (!asked_.name.empty()) {
        auto parsed = parse_name(asked_.name);
        if (!parsed) return complain(parsed.error(), exit_usage);
        wanted = std::move(*parsed);
    }
    const auto server = Server::open(asked_);
    if (!server) return complain(server.error().message);
    const Instant now = net::Clock{}.now();
    if (get_->parsed()) return get(**server, asked_, wanted, now);
    if (!wanted) return complain("name what you mean", exit_usage);
    if (explain_->parsed()) return explain(**server, asked_, *wanted, now);
    const auto typed = std::ranges::find_if(changes_, &CLI::App::parsed);
    const api::Verb verb = full_ ? api::Verb::PromoteFull : helps[typed - changes_.begin()].verb;
    const auto done = change(**server, asked_, *wanted, verb, now);
    if (!done) return complain(done.error());
    std::cout << safe(*done) << '\n';
    return 0;
}

std::string program_name(const std::string& called) {
    const std::size_t slash = called.rfind('/');
    const std::string name = slash == std::string::npos ? called : called.substr(slash + 1);
    return name == "kubectl-sluice" ? "kubectl sluice" : "sluice";
}

}  // namespace sluice::cli
