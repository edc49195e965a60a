// The words about ExtendedJobs: what people do with them, and what is to be seen.
#include <fmt/format.h>

#include "base/base64.hpp"
#include "sim/api/state.hpp"
#include "sim/apis/extended_job/api.hpp"
#include "sim/apis/extended_job/objects.hpp"

namespace sluice::sim::extended_job {
namespace {

// NAME, and fields of its spec.
Problem create_job(World& world, Words words) {
    FieldTexts wanted;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        if (!find_field(fields(), words[i]))
            return fmt::format("an ExtendedJob has no \"{}\"", words[i]);
        wanted[words[i]] = words[i + 1];
    }
    return problem_of(create(world, words[0], wanted));
}

Problem change_job(World& world, Words words) {
    if (!find_field(fields(), words[1]))
        return fmt::format("an ExtendedJob has no \"{}\"", words[1]);
    return problem_of(
        world.merge(extended_jobs, shop, words[0], field_patch(fields(), words[1], words[2])));
}

// Every Job that it has, whatever it runs.
Problem delete_jobs(World& world, Words words) {
    const ObjectPtr object = world.cluster.api().find(extended_jobs, shop, words[0]);
    if (!object) return "there is no such ExtendedJob";
    for (const ObjectPtr& job : jobs_of(world.cluster.api(), object->object()))
        world.remove(jobs, shop, text_at(job->object(), "/metadata/name"));
    return std::nullopt;
}

// NAME KEY=VALUE, or NAME gone.
Seen secret_seen(const World& world, Words words) {
    const ObjectPtr secret = world.cluster.api().find("secrets", shop, words[0]);
    if (words[1] == "gone") return secret ? Seen{"it is there"} : Seen{};
    if (!secret) return "there is none";
    const auto [key, value] = pair_of(joined(words.subspan(1)));
    const auto found = decode_base64(text_at(secret->object(), "/data/" + key));
    return unless_same(value, found ? std::string{found->reveal()} : std::string{});
}

constexpr Action action_table[] = {
    {"extendedjob",
     "NAME [strategy manual|now|once|podstate|done] [when ready|notready|created|deleted] "
     "[selector KEY=VALUE,KEY!=VALUE,KEY,!KEY] [behaves HOW] [restart Never|OnFailure] [containers "
     "NAME,...] "
     "[output PREFIX] [prints JSON] [labels KEY=VALUE,...] [on-failure true] "
     "[on-config-change true]",
     1, create_job},
    {"change extendedjob", "NAME FIELD VALUE|none", 3, change_job},
    {"run extendedjob", "NAME", 1,
     [](World& world, Words words) { return set_strategy(world, words[0], "now"); }},
    {"delete extendedjob", "NAME", 1,
     [](World& world, Words words) { return world.remove(extended_jobs, shop, words[0]); }},
    {"delete jobs of", "NAME", 1, delete_jobs},
    {"wipe extendedjob", "NAME, its status", 1,
     [](World& world, Words words) {
         return world.merge(extended_jobs, shop, words[0], only("/status", nullptr), "status");
     }},
    {"kubelets", "answer|silent, who asks them for logs", 1,
     [](World& world, Words words) { world.egress.kubelets_answer = words[0] == "answer"; }},
};

constexpr Expectation expectation_table[] = {
    {"jobs of", "NAME NUMBER", 2, true,
     [](const World& world, Words words) {
         const ObjectPtr object = world.cluster.api().find(extended_jobs, shop, words[0]);
         if (!object) return Seen{"it is gone"};
         return unless_same(words[1],
                            std::to_string(jobs_of(world.cluster.api(), object->object()).size()));
     }},
    {"written secret", "NAME KEY=VALUE|gone", 2, true, secret_seen},
};

constexpr ReportField report_fields[] = {
    {"strategy", strategy_at},
    {"runs", "/status/runs"},
    {"runs-well", "/status/succeeded"},
    {"runs-badly", "/status/failed"},
    {"outcome", "/status/lastRun/outcome"},
    {"last", "/status/lastRun/message"},
    {"kept-job", "/status/failedJob"},
    {"stage", "/status/active/0/stage"},
};

constexpr std::string_view judged[] = {jobs, "secrets"};
constexpr std::string_view followed_fields[] = {strategy_at};

}  // namespace

Api row() {
    return {.name = "extendedjob",
            .kind = "ExtendedJob",
            .resource = extended_jobs,
            .own_fields = followed_fields,
            .judged = judged,
            .fields = report_fields,
            .actions = [] { return std::span<const Action>{action_table}; },
            .expectations = [] { return std::span<const Expectation>{expectation_table}; },
            .promises = promises,
            .random = &random_part};
}

}  // namespace sluice::sim::extended_job
