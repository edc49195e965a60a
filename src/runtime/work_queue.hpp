// What to look at next. Each key is queued at most once and handed out to one worker at a
// time; a key that is added while it is being worked on comes back afterwards. Namespaces take
// turns, so that ten thousand objects of one tenant delay another tenant's by one. A key that fails
// waits longer each time and delays nobody else.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/dice.hpp"
#include "base/time.hpp"
#include "model/ref.hpp"
#include "runtime/backoff.hpp"

namespace sluice::runtime {

class WorkQueue {
  public:
    explicit WorkQueue(std::uint64_t seed) : dice_(seed) {}

    void add(const model::Ref& key, Instant now);
    // Not before `at`; an earlier time that is already set stays.
    void add_at(const model::Ref& key, Instant at);
    // The next key whose turn it is; it is busy until done() or failed().
    std::optional<model::Ref> take(Instant now);
    void done(const model::Ref& key, Instant now);
    // Done, and to be tried again after its backoff, or after `at_least` if that is longer; not
    // sooner, whatever is added meanwhile.
    void failed(const model::Ref& key, Instant now, Duration at_least = Duration{0});
    // The last try went well: the next failure starts counting from one.
    void succeeded(const model::Ref& key);
    void forget(const model::Ref& key);

    // When the next delayed key is due, if any.
    std::optional<Instant> next_due() const;
    std::size_t depth() const { return ready_.size(); }
    // How long the oldest ready key has waited.
    Duration oldest_age(Instant now) const;

  private:
    void promote(Instant now);

    Dice dice_;
    std::map<std::string, std::deque<model::Ref>> lanes_;  // by namespace, in order
    std::deque<std::string> turns_;                        // namespaces with ready keys
    std::map<model::Ref, Instant> ready_;                  // key -> ready since
    std::set<model::Ref> busy_;
    std::set<model::Ref> again_;  // added while busy
    std::map<model::Ref, Instant> delayed_;
    std::set<std::pair<Instant, model::Ref>> due_;  // the same, by time
    std::map<model::Ref, Backoff> backoffs_;
    std::map<model::Ref, Instant> not_before_;  // of keys that failed last time
};

}  // namespace sluice::runtime
