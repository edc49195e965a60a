// Which workload to look at next. Each key is queued at most once and handed out to one worker at a
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
#include "model/object.hpp"
#include "runtime/backoff.hpp"

namespace sluice::runtime {

class WorkQueue {
  public:
    explicit WorkQueue(std::uint64_t seed) : dice_(seed) {}

    void add(const model::ObjectKey& key, Instant now);
    // Not before `at`; an earlier time that is already set stays.
    void add_at(const model::ObjectKey& key, Instant at);
    // The next key whose turn it is; it is busy until done() or failed().
    std::optional<model::ObjectKey> take(Instant now);
    void done(const model::ObjectKey& key, Instant now);
    // Done, and to be tried again after its backoff, or after `at_least` if that is longer; not
    // sooner, whatever is added meanwhile.
    void failed(const model::ObjectKey& key, Instant now, Duration at_least = Duration{0});
    // The last try went well: the next failure starts counting from one.
    void succeeded(const model::ObjectKey& key);
    void forget(const model::ObjectKey& key);

    // When the next delayed key is due, if any.
    std::optional<Instant> next_due() const;
    std::size_t depth() const { return ready_.size(); }
    // How long the oldest ready key has waited.
    Duration oldest_age(Instant now) const;

  private:
    void promote(Instant now);

    Dice dice_;
    std::map<std::string, std::deque<std::string>> lanes_;  // namespace -> names in order
    std::deque<std::string> turns_;                         // namespaces with ready keys
    std::map<model::ObjectKey, Instant> ready_;             // key -> ready since
    std::set<model::ObjectKey> busy_;
    std::set<model::ObjectKey> again_;  // added while busy
    std::map<model::ObjectKey, Instant> delayed_;
    std::set<std::pair<Instant, model::ObjectKey>> due_;  // the same, by time
    std::map<model::ObjectKey, Backoff> backoffs_;
    std::map<model::ObjectKey, Instant> not_before_;  // of keys that failed last time
};

}  // namespace sluice::runtime
