// The words about what operators ask outside of the cluster: Prometheus, web servers, and the
// Secrets that these want.
#include <algorithm>
#include <limits>

#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

double value_of(const std::string& text) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Inf") return std::numeric_limits<double>::infinity();
    return std::stod("0" + text);
}

// A metric that comes and goes.
void flap_metric(World& world, Words words) {
    const std::string& name = words[0];
    const Duration every = time_option(words, "every", 5s);
    const Duration length = time_option(words, "for", 2min);
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
}

Problem prometheus_mood(World& world, Words words) {
    const auto mood =
        called<Prometheus::Mood>(words[0], {"well", "down", "slow", "broken", "babbling"});
    if (!mood) return "Prometheus is well, down, slow, broken or babbling";
    world.egress.prometheus.mood = *mood;
    return std::nullopt;
}

// In a scenario the quotes of a document are single ones.
void web_says(World& world, Words words) {
    std::string document = words[1] == "nothing" ? "" : words[1];
    std::ranges::replace(document, '\'', '"');
    world.egress.web.set(words[0], std::move(document));
}

Problem web_mood(World& world, Words words) {
    const auto mood = called<WebServer::Mood>(words[0], {"well", "down", "slow"});
    if (!mood) return "web servers are well, down or slow";
    world.egress.web.mood = *mood;
    return std::nullopt;
}

constexpr Action action_table[] = {
    {"metric", "NAME VALUE|NaN|Inf", 2,
     [](World& world, Words words) {
         world.egress.prometheus.set(words[0], {}, value_of(words[1]));
     }},
    {"forget metric", "NAME", 1,
     [](World& world, Words words) { world.egress.prometheus.forget(words[0]); }},
    {"flap metric", "NAME [every TIME] [for TIME]", 1, flap_metric},
    {"prometheus", "well|down|slow|broken|babbling", 1, prometheus_mood},
    {"prometheus wants", "TOKEN|nothing", 1,
     [](World& world, Words words) {
         world.egress.prometheus.token = words[0] == "nothing" ? "" : words[0];
     }},
    {"secret", "NAME KEY=VALUE [for HOSTS]", 2,
     [](World& world, Words words) {
         const auto [key, value] = pair_of(words[1]);
         const std::string hosts = option(words, "for", "http://prom:9000");
         return world.put_secret(shop, words[0], key, value, hosts);
     }},
    {"delete secret", "NAME", 1,
     [](World& world, Words words) { return world.remove("secrets", shop, words[0]); }},
    {"web", "URL JSON|nothing", 2, web_says},
    {"web servers", "well|down|slow", 1, web_mood},
};

constexpr Expectation expectation_table[] = {
    {"prometheus asked", "NUMBER", 1, false,
     [](const World& world, Words words) {
         return unless_same(words[0], std::to_string(world.egress.metric_calls().size()));
     }},
    {"prometheus asked at least", "NUMBER", 1, false,
     [](const World& world, Words words) {
         const std::size_t count = world.egress.metric_calls().size();
         const bool is_enough = count >= static_cast<std::size_t>(number(words[0]));
         return is_enough ? Seen{} : Seen{std::to_string(count)};
     }},
};

}  // namespace

std::span<const Action> service_actions() {
    return action_table;
}

std::span<const Expectation> service_expectations() {
    return expectation_table;
}

}  // namespace sluice::sim
