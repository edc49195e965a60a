// A secret in memory. It cannot be printed, formatted or compared by accident; whoever needs the
// bytes says reveal(). The buffer is overwritten when the value goes away.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sluice {

class Redacted {
  public:
    Redacted() = default;
    explicit Redacted(std::string secret) : secret_(std::move(secret)) {}
    Redacted(const Redacted&) = default;
    Redacted(Redacted&& other) noexcept : secret_(std::move(other.secret_)) { other.wipe(); }
    Redacted& operator=(const Redacted& other) {
        if (this != &other) {
            wipe();
            secret_ = other.secret_;
        }
        return *this;
    }
    Redacted& operator=(Redacted&& other) noexcept {
        if (this != &other) {
            wipe();
            secret_ = std::move(other.secret_);
            other.wipe();
        }
        return *this;
    }
    ~Redacted() { wipe(); }

    std::string_view reveal() const { return secret_; }
    bool empty() const { return secret_.empty(); }

  private:
    void wipe() noexcept {
        volatile char* bytes = secret_.data();
        for (std::size_t i = 0; i < secret_.capacity(); ++i)
            bytes[i] = 0;
        secret_.clear();
    }

    std::string secret_;
};

}  // namespace sluice
