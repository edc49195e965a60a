#include "cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <iostream>
#include <ranges>

#include "api/inquiry/hosts.hpp"
#include "api/registry.hpp"
#include "base/names.hpp"
#include "cli/cluster.hpp"
#include "cli/demo.hpp"
#include "cli/manifests.hpp"
#include "cli/sim.hpp"
#include "cli/verbs/command.hpp"
#include "operator/options.hpp"

namespace sluice::cli {
namespace {

constexpr int exit_usage = 2;

// --log-level reads SLUICE_LOG_LEVEL, and so on for every flag.
void read_environment(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        if (option == command.get_help_ptr()) continue;
        std::string name = "SLUICE_";
        for (const char c : option->get_lnames().front())
            name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        option->envname(name);
    }
}

CLI::Validator duration_between(Duration least, Duration most) {
    return {[=](std::string& text) -> std::string {
                const auto duration = parse_duration(text);
                if (!duration)
                    return fmt::format("\"{}\" is not a duration such as 30s or 5m", text);
                if (*duration < least || *duration > most)
                    return fmt::format("{} is not between {} and {}", text, to_text(least),
                                       to_text(most));
                return {};
            },
            "DURATION"};
}

CLI::Validator namespace_name() {
    return {[](std::string& text) -> std::string {
                if (is_dns_label(text)) return {};
                return fmt::format("\"{}\" is not the name of a namespace", text);
            },
            "NAMESPACE"};
}

CLI::Validator known_api() {
    return {[](std::string& text) -> std::string {
                if (api::find_api(text)) return {};
                return fmt::format(
                    "\"{}\" is not an API of this binary; it serves: {}", text,
                    fmt::join(api::apis() | std::views::transform(&api::Api::name), ", "));
            },
            "API"};
}

// That people declare something in.
std::vector<std::string_view> config_maps() {
    std::vector<std::string_view> names;
    for (const api::Api& api : api::apis())
        for (const api::Watch& watch : api.watches)
            if (watch.resource == &model::config_maps) names.push_back(watch.selector.name);
    std::ranges::sort(names, std::greater{});
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
}

CLI::Validator host_list() {
    return {[](std::string& text) -> std::string {
                const auto hosts = api::read_hosts(text);
                if (!hosts) return hosts.error().message;
                // None at all would let any be asked; that is said by leaving the flag out.
                return hosts->empty() && !text.empty() ? "names no host" : "";
            },
            "HOSTS"};
}

CLI::Validator plain_path() {
    return {[](std::string& text) -> std::string {
                if (text.empty() || is_plain_path(text)) return {};
                return fmt::format("\"{}\" is not an absolute path without \"..\"", text);
            },
            "FOLDER"};
}

struct OperatorFlags {
    operators::Options options;
    std::string hook_retry = "30s";
    std::string metric_hosts;
};

void add_cluster_flags(CLI::App& command, operators::Options& options) {
    command.option_defaults()->group("Cluster");
    command.add_option("--kubeconfig", options.kubeconfig,
                       "File to reach the cluster with; without it: the pod's service account, "
                       "then KUBECONFIG, then ~/.kube/config");
    command.add_option("--context", options.context, "Context of the kubeconfig to use");
    command
        .add_option("--namespace", options.namespaces,
                    "Namespace to steer; repeat it for several (default: all)")
        ->delimiter(',')
        ->default_str("")
        ->check(namespace_name());
    command
        .add_option("--config-namespace", options.config_namespace,
                    fmt::format("Where the ConfigMaps {} and the lease live (default: the "
                                "namespace of the pod or context)",
                                fmt::join(config_maps(), " and ")))
        ->check(namespace_name());
    command.add_option("--qps", options.qps, "Requests a second to the API server, on average")
        ->check(CLI::Range(1.0, 10000.0));
}

void add_steering_flags(CLI::App& command, OperatorFlags& flags) {
    command.option_defaults()->group("Steering");
    command.add_option("--apis", flags.options.apis, "Which APIs to serve, separated by commas")
        ->delimiter(',')
        ->check(known_api());
    command
        .add_option("--hook-retry", flags.hook_retry,
                    "How long after a refusal a hook is asked again")
        ->check(duration_between(1s, 24h));
    command.add_flag("--allow-local-hooks", flags.options.allow_local_hooks,
                     "Let hooks live on loopback addresses");
    command
        .add_option("--allowed-metric-hosts", flags.metric_hosts,
                    "Hosts that may be asked for metrics and shown Secrets, separated by "
                    "commas: prom:9090, *.example.com, http://prom:9090 (default: any host, "
                    "and only those Secrets that list it)")
        ->check(host_list());
    for (const api::Api& api : api::apis()) {
        const std::string flag{api.choice.flag};
        if (flag.empty()) continue;
        const std::vector<std::string> words{api.choice.words.begin(), api.choice.words.end()};
        std::string& chosen = flags.options.choices[flag] = words.front();
        command.add_option(flag, chosen, std::string{api.choice.help})->check(CLI::IsMember(words));
    }
    command.add_flag("--allow-local-metrics", flags.options.allow_local_metrics,
                     "Let Prometheus live on loopback addresses");
    command
        .add_option("--plugin-directory", flags.options.plugin_directory,
                    "Folder with programs that spec.plugin.url of a rollout may name; "
                    "they run with the rights of the operator (default: none)")
        ->check(plain_path());
}

void add_process_flags(CLI::App& command, operators::Options& options) {
    command.option_defaults()->group("Process");
    command.add_flag("--leader-elect", options.leader_elect,
                     "Take turns with other operators through a Lease");
    command.add_option("--metrics-address", options.metrics_address, "Where /metrics is served");
    command.add_option("--health-address", options.health_address,
                       "Where /livez and /readyz are served");
    command.add_option("--log-format", options.log_format, "console or json")
        ->check(CLI::IsMember({"console", "json"}));
    command.add_option("--log-level", options.log_level, "debug, info, warning or error")
        ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void add_manifests_flags(CLI::App& command, ManifestsOptions& options) {
    command
        .add_option("component", options.components,
                    "crds, rbac, policies, deployment or all (default: all)")
        ->default_str("");
    command.add_option("--kube-version", options.kube_version,
                       "Version of the API server; an older one gets what it knows");
    command
        .add_option("--namespace", options.namespaces,
                    "Namespace to steer; several with commas (default: all)")
        ->delimiter(',')
        ->default_str("");
    command
        .add_option("--apis", options.apis,
                    "APIs to serve; rights and definitions that only others need are left out; "
                    "several with commas (default: all)")
        ->delimiter(',')
        ->default_str("");
    command.add_option("--image", options.image, "Image of the operator");
    command.add_option("--installed", options.installed,
                       "File with the output of `kubectl get crd -o json`: definitions in it that "
                       "are not Sluice's are left out, and a comment says so");
    command.footer("Example: sluice manifests rbac policies | kubectl apply -f -");
}

void add_demo_flags(CLI::App& command, DemoOptions& options) {
    command.option_defaults()->group("Story");
    command.add_option("--api", options.api, "Which API to show")->check(known_api());
    command.add_flag("--fail", options.fail,
                     "The new version does not start; see what Sluice does, and what you do");
    command.add_option("--seed", options.seed, "Another number gives other timings");
    command.option_defaults()->group("Screen");
    command
        .add_option("--speed", options.speed, "Simulated seconds in a second; 1 is as fast as life")
        ->check(CLI::Range(0.1, 100000.0));
    command.add_flag("--plain", options.plain,
                     "Plain lines instead of a moving picture; also when the output is not a "
                     "terminal, or one of less than 60 columns or 22 rows");
    command.footer(
        "Needs no cluster: the demo brings one along, in memory, and runs the real operator code "
        "on it. It takes about 25 seconds; stop it with Ctrl-C. NO_COLOR is honoured.");
}

void add_cluster_command_flags(CLI::App& command, ClusterCommand& options) {
    command.add_option("--listen", options.listen, "Where the API is served; port 0: any free one");
    command.add_option("--kubeconfig-out", options.kubeconfig_out,
                       "File to write, and to remove at the end");
    command.add_flag("--with-operator", options.with_operator,
                     "Run the operator on it, as a process of its own");
    command.add_option("--seed", options.seed, "Of the names and times that are drawn by lot");
    command
        .add_option("--speed", options.speed,
                    "How many seconds pass in the cluster while one passes outside")
        ->check(CLI::Range(0.000001, 1000.0));
    command.footer("Example: sluice cluster --with-operator --kubeconfig-out /tmp/try.kubeconfig");
}

void add_sim_flags(CLI::App& command, SimOptions& options) {
    command.add_option("--seed", options.seed, "Of the first world; the next ones count up");
    command
        .add_option("--minutes", options.minutes,
                    "How long to go on, by the clock on the wall; one world at least")
        ->check(CLI::Range(0.0, 100000.0));
    command
        .add_option("--worlds", options.worlds,
                    "Stop after so many (default: as many as there is time for)")
        ->default_str("");
    command.add_flag("--verbose", options.verbose, "Tell what was done to each world");
    command.footer(
        "Each world has StatefulSets, hooks, people who change their minds, and faults: crashes, "
        "lost answers, stale views. First nothing may be ungated; then the faults stop and all "
        "must come to a good end. A world that goes wrong is printed with the command that replays "
        "it. docs/simulation.md tells more.");
}

}  // namespace

int run(int argc, char** argv) {
    const std::string program = program_name(argc > 0 ? argv[0] : "");
    CLI::App app{
        "Sluice lets stateful workloads change one step at a time, and only while somebody "
        "says it is safe.",
        program};
    app.require_subcommand(0, 1);
    app.option_defaults()->always_capture_default();
    app.set_version_flag("--version", "sluice " SLUICE_VERSION);

    VerbCommands verbs{app, program};

    OperatorFlags flags;
    CLI::App* steer = app.add_subcommand("operator", "Steer the workloads of a cluster");
    steer->footer(
        "Every flag can also be set by an environment variable: --log-level by "
        "SLUICE_LOG_LEVEL.");
    add_cluster_flags(*steer, flags.options);
    add_steering_flags(*steer, flags);
    add_process_flags(*steer, flags.options);
    read_environment(*steer);

    ManifestsOptions manifests;
    CLI::App* print = app.add_subcommand("manifests", "Print the manifests that install Sluice");
    add_manifests_flags(*print, manifests);

    DemoOptions demo;
    CLI::App* show = app.add_subcommand("demo", "Watch a rollout go through its gates");
    add_demo_flags(*show, demo);

    ClusterCommand cluster;
    CLI::App* embed =
        app.add_subcommand("cluster", "Run a Kubernetes cluster in this process, to try things");
    add_cluster_command_flags(*embed, cluster);

    SimOptions sim;
    CLI::App* simulate =
        app.add_subcommand("sim", "Play random worlds full of faults, and check every promise");
    add_sim_flags(*simulate, sim);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        return app.exit(wrong) == 0 ? 0 : exit_usage;  // --help ends up here too
    }
    if (verbs.is_parsed()) return verbs.run();
    if (print->parsed()) return run_manifests(manifests, std::cout, std::cerr);
    if (show->parsed()) {
        if (argc > 0) demo.program = argv[0];
        return run_demo(demo);
    }
    if (embed->parsed()) return run_cluster(cluster, std::cout, std::cerr);
    if (simulate->parsed()) return run_sim(sim, std::cout);
    if (steer->parsed()) {
        flags.options.hook_retry = parse_duration(flags.hook_retry).value_or(30s);
        flags.options.allowed_metric_hosts = api::read_hosts(flags.metric_hosts).value();
        return operators::run_operator(flags.options);
    }
    std::cout << app.help();
    return 0;
}

}  // namespace sluice::cli
