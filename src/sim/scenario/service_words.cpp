// The words about what operators ask outside of the cluster: Prometheus, web servers, and the
// Secrets that these want.
#include <algorithm>
#include <limits>
#include <map>

#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

double value_of(const std::string& text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Inf") return std::numeric_limits<double>::infinity();
    return std::stod("0" + text);
}

Problem set_metric(World& world, Words words) {
    world.egress.prometheus.set(words[0], {}, value_of(words[1]));
    return std::nullopt;
}

Problem forget_metric(World& world, Words words) {
    world.egress.prometheus.forget(words[0]);
    return std::nullopt;
}

// A metric that comes and goes.
Problem flap_metric(World& world, Words words) {
    const std::string& name = words[0];
    const Duration every = parse_duration(option(words, "every", "5s")).value_or(5s);
    const Duration length = parse_duration(option(words, "for", "2m")).value_or(2min);
    bool there = true;
    for (Duration at = 0s; at < length; at += every, there = !there)
        world.cluster.timeline().after(at, [&world, name, there] {
            if (there)
                world.egress.prometheus.set(name, {}, 1);
            else
                world.egress.prometheus.forget(name);
        });
    world.cluster.timeline().after(length,
                                   [&world, name] { world.egress.prometheus.forget(name); });
    return std::nullopt;
}

Problem prometheus(World& world, Words words) {
    using Mood = Prometheus::Mood;
    static const std::map<std::string, Mood> moods = {{"well", Mood::Well},
                                                      {"down", Mood::Down},
                                                      {"slow", Mood::Slow},
                                                      {"broken", Mood::Broken},
                                                      {"babbling", Mood::Babbling}};
    const auto mood = moods.find(words[0]);
    if (mood == moods.end()) return "Prometheus is well, down, slow, broken or babbling";
    world.egress.prometheus.mood = mood->second;
    return std::nullopt;
}

Problem prometheus_wants(World& world, Words words) {
    world.egress.prometheus.token = words[0] == "nothing" ? "" : words[0];
    return std::nullopt;
}

Problem put_secret(World& world, Words words) {
    const auto [key, value] = pair_of(words[1]);
    const std::string hosts = option(words, "for", "http://prom:9000");
    return problem_of(world.put_secret(shop, words[0], key, value, hosts));
}

Problem delete_secret(World& world, Words words) {
    return problem_of(world.remove("secrets", shop, words[0]));
}

// In a scenario the quotes of a document are single ones.
Problem web_says(World& world, Words words) {
    std::string document = words[1] == "nothing" ? "" : words[1];
    std::ranges::replace(document, '\'', '"');
    world.egress.web.set(words[0], std::move(document));
    return std::nullopt;
}

Problem web_mood(World& world, Words words) {
    using Mood = WebServer::Mood;
    static const std::map<std::string, Mood> moods = {
        {"well", Mood::Well}, {"down", Mood::Down}, {"slow", Mood::Slow}};
    const auto mood = moods.find(words[0]);
    if (mood == moods.end()) return "web servers are well, down or slow";
    world.egress.web.mood = mood->second;
    return std::nullopt;
}

Seen asked_prometheus(const World& world, Words words) {
    return unless_same(words[0], std::to_string(world.egress.metric_calls().size()));
}

Seen asked_prometheus_at_least(const World& world, Words words) {
    const std::size_t count = world.egress.metric_calls().size();
    return count >= static_cast<std::size_t>(number(words[0])) ? Seen{}
                                                               : Seen{std::to_string(count)};
}

constexpr Action action_table[] = {
    {"metric", "NAME VALUE|NaN|Inf", 2, set_metric},
    {"forget metric", "NAME", 1, forget_metric},
    {"flap metric", "NAME [every TIME] [for TIME]", 1, flap_metric},
    {"prometheus", "well|down|slow|broken|babbling", 1, prometheus},
    {"prometheus wants", "TOKEN|nothing", 1, prometheus_wants},
    {"secret", "NAME KEY=VALUE [for HOSTS]", 2, put_secret},
    {"delete secret", "NAME", 1, delete_secret},
    {"web", "URL JSON|nothing", 2, web_says},
    {"web servers", "well|down|slow", 1, web_mood},
};

constexpr Expectation expectation_table[] = {
    {"prometheus asked", "NUMBER", 1, false, asked_prometheus},
    {"prometheus asked at least", "NUMBER", 1, false, asked_prometheus_at_least},
};

}  // namespace

std::span<const Action> service_actions() {
    return action_table;
}

std::span<const Expectation> service_expectations() {
    return expectation_table;
}

}  // namespace sluice::sim
