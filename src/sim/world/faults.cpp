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
    plan_ = {};
    odds_ = {};
    on_moment = {};
}

Mishap Faults::next_exchange(Exchange exchange, Instant now) {
    const int number = static_cast<int>(seen_.size());
    if (on_moment) on_moment({Moment::Kind::Exchange, number});
    const auto planned = plan_.exchanges.find(number);
    seen_.push_back(exchange);
    Mishap mishap = planned == plan_.exchanges.end() ? Mishap::None : planned->second;
    if (mishap == Mishap::None && hits(odds_.crash, now))
        mishap = dice_.roll() % 2 ? Mishap::CrashBefore : Mishap::CrashAfter;
    if (mishap == Mishap::None && hits(odds_.request, now))
        mishap = static_cast<Mishap>(static_cast<int>(Mishap::LoseRequest) + dice_.roll() % 7);
    injected_ += mishap != Mishap::None;
    return mishap;
}

EventMishap Faults::next_batch(Instant now) {
    const int number = batch_count_++;
    if (on_moment) on_moment({Moment::Kind::Batch, number});
    const auto planned = plan_.batches.find(number);
    EventMishap mishap = planned == plan_.batches.end() ? EventMishap::None : planned->second;
    if (mishap == EventMishap::None && hits(odds_.events, now))
        mishap = static_cast<EventMishap>(1 + dice_.roll() % 3);
    injected_ += mishap != EventMishap::None;
    return mishap;
}

std::uint64_t Faults::stale_by(Instant now) {
    const std::uint64_t by = plan_.stale + (hits(odds_.stale, now) ? dice_.roll() % 40 : 0);
    injected_ += by > 0;
    return by;
}

}  // namespace sluice::sim
