// Memory in bytes per object, decisions in microseconds: of the pure half, without a server.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <boost/json.hpp>
#include <cstdlib>

#include "api/phased_rollout/decide.hpp"
#include "api/phased_rollout/spec.hpp"
#include "api/pilot/decide.hpp"
#include "api/registry.hpp"
#include "bench/sample.hpp"
#include "engine/memory.hpp"
#include "model/annotations.hpp"
#include "runtime/object_table.hpp"

namespace sluice::bench {
namespace {

std::size_t heap_in_use() {
    return mallinfo2().uordblks;
}

template <class T>
T decoded(model::Decoder& decoder, const model::Resource& kind, std::string text) {
    return std::get<T>(decoder.object(kind, std::move(text)).value());
}

void decode_pod(benchmark::State& state) {
    model::Decoder decoder{api::kept()};
    const std::string text = pod_json(1, 2, 3);
    for (auto _ : state)
        benchmark::DoNotOptimize(decoder.object(model::pods, text));
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
    state.counters["json_bytes"] = static_cast<double>(text.size());
}
BENCHMARK(decode_pod);

void decode_statefulset(benchmark::State& state) {
    model::Decoder decoder{api::kept()};
    const std::string text = set_json(1, true, 3);
    for (auto _ : state)
        benchmark::DoNotOptimize(decoder.object(model::statefulsets, text));
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(decode_statefulset);

// What the heap holds per object once `count` of them are in the store.
void bytes_per_pod(benchmark::State& state) {
    model::Decoder decoder{api::kept()};
    constexpr int sets = 10'000, pods = 10;
    for (auto _ : state) {
        runtime::InternPool pool;
        const auto table = runtime::make_pod_table(pool);
        const std::size_t before = heap_in_use();
        for (int set = 0; set < sets; ++set)
            for (int ordinal = 0; ordinal < pods; ++ordinal)
                table->put(decoder.object(model::pods, pod_json(set, ordinal, 1)).value());
        state.counters["bytes"] = static_cast<double>(heap_in_use() - before) / (sets * pods);
    }
}
BENCHMARK(bytes_per_pod)->Iterations(1)->Unit(benchmark::kMillisecond);

void bytes_per_statefulset(benchmark::State& state) {
    model::Decoder decoder{api::kept()};
    constexpr int sets = 10'000;
    for (auto _ : state) {
        runtime::InternPool pool;
        const auto table = runtime::make_keyed_table(model::Form::StatefulSet, pool);
        const std::size_t before = heap_in_use();
        for (int set = 0; set < sets; ++set)
            table->put(
                decoder.object(model::statefulsets, set_json(set, state.range(0) != 0, 1)).value());
        state.counters["bytes"] = static_cast<double>(heap_in_use() - before) / sets;
    }
}
BENCHMARK(bytes_per_statefulset)
    ->ArgName("steered")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// What is remembered of a set at rest.
std::string memory_at_rest(const model::StatefulSet& set, Instant now) {
    engine::Memory memory;
    memory.uid = set.meta.uid;
    memory.id = 4;
    memory.revision = set.update_revision;
    memory.template_hash = set.template_hash;
    memory.partition = Partition{3};
    memory.generation = set.meta.generation;
    memory.started = now;
    return engine::encode(memory);
}

void decide_idle(benchmark::State& state) {
    const Instant now{1'790'000'000'000};
    model::Decoder decoder{api::kept()};
    engine::Snapshot seen;
    seen.workload = decoded<model::StatefulSet>(decoder, model::statefulsets, set_json(1, true, 1));
    for (int ordinal = 0; ordinal < 3; ++ordinal)
        seen.pods.push_back(decoded<model::Pod>(decoder, model::pods, pod_json(1, ordinal, 1)));
    seen.workload.annotations = {{model::key::claim, "pilot/web-1"},
                                 {model::key::phase, "Idle"},
                                 {model::key::guarantee, "Detect"},
                                 {model::key::rollout, memory_at_rest(seen.workload, now)}};
    const engine::Decision told = api::pilot::decide(seen, now);
    if (told.report.reason != engine::Reason::Idle || !told.actions.empty())
        state.SkipWithError("not at rest");
    for (auto _ : state)
        benchmark::DoNotOptimize(api::pilot::decide(seen, now));
}
BENCHMARK(decide_idle);

// A StatefulSet that a PhasedRollout steers, at rest, with the status that it has then.
engine::Snapshot phased_at_rest(Instant now) {
    namespace phased = api::phased_rollout;
    model::Decoder decoder{api::kept()};
    engine::Snapshot seen;
    seen.workload =
        decoded<model::StatefulSet>(decoder, model::statefulsets, set_json(1, false, 1));
    for (int ordinal = 0; ordinal < 3; ++ordinal)
        seen.pods.push_back(decoded<model::Pod>(decoder, model::pods, pod_json(1, ordinal, 1)));
    seen.objects.push_back(decoded<model::CustomObject>(decoder, api::phased_rollout::resource,
                                                        phased_rollout_json(1, 1)));
    seen.workload.annotations = {{model::key::claim, "phasedrollout/slow-1"},
                                 {model::key::phase, "Idle"},
                                 {model::key::rollout, memory_at_rest(seen.workload, now)},
                                 {std::string{phased::steered_by}, "slow-1"}};
    const engine::Decision told = phased::decide(seen, now);
    for (const auto& operation : boost::json::parse(told.actions.at(0).body).as_array())
        if (operation.at("op") == "add")
            seen.objects[0].status = boost::json::serialize(operation.at("value"));
    return seen;
}

void decide_phased_rollout_idle(benchmark::State& state) {
    const Instant now{1'790'000'000'000};
    const engine::Snapshot seen = phased_at_rest(now);
    if (!api::phased_rollout::decide(seen, now).actions.empty()) state.SkipWithError("not at rest");
    for (auto _ : state)
        benchmark::DoNotOptimize(api::phased_rollout::decide(seen, now));
}
BENCHMARK(decide_phased_rollout_idle);

void bytes_per_phased_rollout(benchmark::State& state) {
    const engine::Snapshot seen = phased_at_rest(Instant{1'790'000'000'000});
    model::Decoder decoder{api::kept()};
    constexpr int objects = 10'000;
    for (auto _ : state) {
        runtime::Budget budget{1u << 30};
        runtime::ObjectTable table{{&api::phased_rollout::resource, model::Itself{}},
                                   api::phased_rollout::target_of,
                                   budget};
        const std::size_t before = heap_in_use();
        for (int i = 0; i < objects; ++i) {
            auto one = decoded<model::CustomObject>(decoder, api::phased_rollout::resource,
                                                    phased_rollout_json(i, 1));
            one.status = seen.objects[0].status;
            table.put(one);
        }
        state.counters["bytes"] = static_cast<double>(heap_in_use() - before) / objects;
    }
}
BENCHMARK(bytes_per_phased_rollout)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench

BENCHMARK_MAIN();
