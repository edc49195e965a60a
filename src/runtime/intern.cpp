#include "runtime/intern.hpp"

#include <cstdint>

namespace sluice::runtime {

struct Symbol::Entry {
    InternPool* pool;
    std::uint32_t uses = 0;
    std::string text;
};

Symbol::Symbol(const Symbol& other) : entry_(other.entry_) {
    if (entry_) ++entry_->uses;
}

Symbol::~Symbol() {
    if (entry_ && --entry_->uses == 0) entry_->pool->entries_.erase(entry_->text);
}

const std::string& Symbol::text() const {
    static const std::string nothing;
    return entry_ ? entry_->text : nothing;
}

InternPool::InternPool() = default;
InternPool::~InternPool() = default;

Symbol InternPool::intern(std::string_view text) {
    if (text.empty()) return {};
    auto found = entries_.find(text);
    if (found == entries_.end()) {
        auto entry = std::make_unique<Symbol::Entry>(Symbol::Entry{this, 0, std::string{text}});
        const std::string_view name = entry->text;
        found = entries_.emplace(name, std::move(entry)).first;
    }
    ++found->second->uses;
    return Symbol{found->second.get()};
}

}  // namespace sluice::runtime
