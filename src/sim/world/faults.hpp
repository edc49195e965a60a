// What goes wrong between an operator and the world. Every exchange and every batch of events has a
// number; a plan says what becomes of which. Nothing goes wrong that no plan names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/dice.hpp"
#include "base/time.hpp"

namespace sluice::sim {

enum class Mishap : std::uint8_t {
    None,
    CrashBefore,  // the process dies before the request leaves
    CrashAfter,   // it dies when the request was carried out
    LoseRequest,  // never arrives; no answer
    LoseAnswer,   // carried out; no answer
    Refuse409,
    Refuse429,
    Refuse500,
    Slow,       // carried out and answered, as late as a client just bears
    Overtaken,  // right before it arrives somebody changes the spec that it was decided upon
};
enum class EventMishap : std::uint8_t { None, Lose, Repeat, Delay };

// Whether whoever is asked can be told from one that was not: a question to a hook or a plugin
// counts as a write, one to Prometheus as a read.
enum class Access : std::uint8_t { Read, Write };

// An exchange as it was: enough to tell which faults would be the same fault twice.
struct Exchange {
    Access access;
    std::uint64_t version;          // of the cluster's storage when it began
    bool can_be_overtaken = false;  // by a change of the spec that it was decided upon
    friend bool operator==(const Exchange&, const Exchange&) = default;
};

const char* to_text(Mishap mishap);
const char* to_text(EventMishap mishap);

// Odds in a thousand, for random worlds.
struct Odds {
    int crash = 0;
    int request = 0;  // lost, refused or slow
    int events = 0;   // lost, repeated or late
    int stale = 0;    // a list that is older than now
};

// How the server is when it is asked for lists, for as long as it is so.
struct ListManners {
    bool streams = true;                   // false: a list that is streamed ends before its end
    int page_max = 0;                      // objects that fit into an answer; 0: all of them
    std::set<std::string> forbidden = {};  // namespaces
    // A server that comes up: watches of definitions are refused before anybody looks whether they
    // are there.
    bool forbids_definitions = false;
};

// What is to go wrong where.
struct FaultPlan {
    std::map<int, Mishap> exchanges = {};
    std::map<int, EventMishap> batches = {};
    std::uint64_t stale = 0;  // every first list of a process is this many changes old
};

// An exchange or a batch, by its number.
struct Moment {
    enum class Kind : std::uint8_t { Exchange, Batch } kind;
    int number;
};

class Faults {
  public:
    ListManners lists;
    // Told of every moment before it is looked up what becomes of it.
    std::function<void(Moment)> on_moment;

    Faults() = default;
    Faults(Odds odds, std::uint64_t seed, Instant until)
        : odds_(odds), dice_(seed), until_(until) {}

    // From now on.
    void plan(FaultPlan plan) { plan_ = std::move(plan); }
    // Nothing goes wrong any more.
    void cease();

    Mishap next_exchange(Exchange exchange, Instant now);
    EventMishap next_batch(Instant now);
    std::uint64_t stale_by(Instant now);

    const std::vector<Exchange>& exchanges() const { return seen_; }
    int batches() const { return batch_count_; }
    int injected() const { return injected_; }

  private:
    bool hits(int odds, Instant now) {
        return odds > 0 && now < until_ && static_cast<int>(dice_.roll() % 1000) < odds;
    }

    FaultPlan plan_;
    std::vector<Exchange> seen_;
    Odds odds_;
    Dice dice_{1};
    Instant until_;
    int batch_count_ = 0;
    int injected_ = 0;
};

}  // namespace sluice::sim
