// A value that never changes and that many hold: copies cost a pointer, and compare by value.
#pragma once

#include <memory>
#include <utility>

namespace sluice {

template <class Value>
class Shared {
  public:
    Shared() : held_(std::make_shared<const Value>()) {}
    Shared(Value value) : held_(std::make_shared<const Value>(std::move(value))) {}

    const Value& operator*() const { return *held_; }
    const Value* operator->() const { return held_.get(); }
    friend bool operator==(const Shared& one, const Shared& other) {
        return one.held_ == other.held_ || *one == *other;
    }

  private:
    std::shared_ptr<const Value> held_;
};

}  // namespace sluice
