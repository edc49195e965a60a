// What plant.py writes into the copies of the sources: each function is the original until its
// mutant is chosen. A process has at most one mutant; 0 is none. Which ones were reached is noted.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <concepts>

namespace sluice::mutation {

constexpr int numbers_max = 100'000;  // a thousand for each of a hundred files

inline int chosen = 0;
inline std::array<std::atomic<bool>, numbers_max> reached{};

inline bool on(int mutant) {
    reached[static_cast<std::size_t>(mutant)].store(true, std::memory_order_relaxed);
    return chosen == mutant;
}

// Two mutants: always, and (the next number) never.
inline bool branch(int mutant, bool condition) {
    const bool always = on(mutant);
    const bool never = on(mutant + 1);
    return always || (condition && !never);
}

// Always would only be slow: never.
inline bool loop(int mutant, bool condition) {
    return !on(mutant) && condition;
}

inline bool flipped(int mutant, bool value) {
    return value != on(mutant);
}

bool less(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a <= b : a < b;
}

bool less_equal(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a < b : a <= b;
}

bool greater(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a >= b : a > b;
}

bool greater_equal(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a > b : a >= b;
}

auto plus(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a - b : a + b;
}

auto minus(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a + b : a - b;
}

auto times(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a + b : a * b;
}

auto divided(int mutant, const auto& a, const auto& b) {
    return on(mutant) ? a * b : a / b;
}

// One more, or a second more.
template <class T>
T more(int mutant, T value) {
    if constexpr (std::is_arithmetic_v<T>)
        return on(mutant) ? static_cast<T>(value + 1) : value;
    else
        return on(mutant) ? value + std::chrono::ceil<T>(std::chrono::seconds{1}) : value;
}

}  // namespace sluice::mutation
