// The work that an evaluation may do, and the place it is at. Every node costs a step, so does
// every item that is made or looked at, and so do sixteen bytes of text: the steps bound time and
// memory.
#pragma once

#include <string>
#include <utility>

#include "language/refusal.hpp"
#include "language/value.hpp"

namespace sluice::language {

inline constexpr std::size_t bytes_per_step = 16;

class Work {
  public:
    explicit Work(std::size_t steps) : left_(steps) {}

    // Throws a Refusal if that is more than is left.
    void take(std::size_t steps) {
        if (steps > left_)
            language::refuse(at, "the evaluation takes too many steps", ErrorKind::TooLarge);
        left_ -= steps;
    }
    void take_bytes(std::size_t bytes) { take(bytes / bytes_per_step + 1); }
    std::size_t left() const { return left_; }

    [[noreturn]] void refuse(const std::string& what) const {
        language::refuse(at, what, ErrorKind::Invalid);
    }

    // Each part of an expression is shallow, but one may be put into another, again and again.
    template <class Items>
    Value holding(Items items) const {
        if (!fits_in_value(items))
            language::refuse(at, "the evaluation nests values too deeply", ErrorKind::TooLarge);
        return Value(std::move(items));
    }

    std::size_t at = 0;  // where a sentence points to

  private:
    std::size_t left_;
};

}  // namespace sluice::language
