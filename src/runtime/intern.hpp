// Texts that many objects share are kept once. A Symbol is one pointer wide and counts itself, so
// that a text nobody uses any more takes no memory. Symbols of one pool compare by address.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sluice::runtime {

class InternPool;

class Symbol {
  public:
    Symbol() = default;
    Symbol(const Symbol& other);
    Symbol(Symbol&& other) noexcept : entry_(other.entry_) { other.entry_ = nullptr; }
    Symbol& operator=(Symbol other) noexcept {
        std::swap(entry_, other.entry_);
        return *this;
    }
    ~Symbol();

    const std::string& text() const;
    friend bool operator==(const Symbol& a, const Symbol& b) { return a.entry_ == b.entry_; }

  private:
    friend class InternPool;
    struct Entry;
    explicit Symbol(Entry* entry) : entry_(entry) {}
    Entry* entry_ = nullptr;
};

// Outlives all its symbols.
class InternPool {
  public:
    InternPool();
    ~InternPool();
    InternPool(const InternPool&) = delete;
    InternPool& operator=(const InternPool&) = delete;

    Symbol intern(std::string_view text);
    std::size_t size() const { return entries_.size(); }

  private:
    friend class Symbol;
    std::unordered_map<std::string_view, std::unique_ptr<Symbol::Entry>> entries_;
};

}  // namespace sluice::runtime
