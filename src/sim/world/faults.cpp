#include "sim/world/faults.hpp"

namespace sluice::sim {

const char* to_text(Mishap mishap) {
    constexpr const char* names[] = {
        "nothing",          "crash before",     "crash after",      "request lost", "answer lost",
        "refused with 409", "refused with 429", "refused with 500", "slow",         "overtaken"};
    return names[static_cast<std::size_t>(mishap)];
}

const char* to_text(EventMishap mishap) {
    constexpr const char* names[] = {"nothing", "events lost", "events repeated", "events late"};
    return names[static_cast<std::size_t>(mishap)];
}

void Faults::cease() {
    exchanges_.clear();
    batches_.clear();
    stale_ = 0;
    odds_ = {};
}

Mishap Faults::next_exchange(Exchange exchange, Instant now) {
    const auto planned = exchanges_.find(static_cast<int>(seen_.size()));
    seen_.push_back(exchange);
    Mishap mishap = planned == exchanges_.end() ? Mishap::None : planned->second;
    if (mishap == Mishap::None && hits(odds_.crash, now))
        mishap = dice_.roll() % 2 ? Mishap::CrashBefore : Mishap::CrashAfter;
    if (mishap == Mishap::None && hits(odds_.request, now))
        mishap = static_cast<Mishap>(static_cast<int>(Mishap::LoseRequest) + dice_.roll() % 7);
    injected_ += mishap != Mishap::None;
    return mishap;
}

EventMishap Faults::next_batch(Instant now) {
    const auto planned = batches_.find(batch_count_++);
    EventMishap mishap = planned == batches_.end() ? EventMishap::None : planned->second;
    if (mishap == EventMishap::None && hits(odds_.events, now))
        mishap = static_cast<EventMishap>(1 + dice_.roll() % 3);
    injected_ += mishap != EventMishap::None;
    return mishap;
}

std::uint64_t Faults::stale_by(Instant now) {
    const std::uint64_t by = stale_ + (hits(odds_.stale, now) ? dice_.roll() % 40 : 0);
    injected_ += by > 0;
    return by;
}

}  // namespace sluice::sim
