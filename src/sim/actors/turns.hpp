// The objects of one actor that wait for its attention. An object waits at most once, whatever
// happens to it meanwhile; its turn comes after a delay drawn from the actor's pace and reads the
// API of that moment. A turn that failed is repeated, ever more slowly.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "sim/actors/cluster.hpp"
#include "sim/actors/object.hpp"

namespace sluice::sim {

// What every actor works with.
struct Surroundings {
    ApiServer& api;
    Timeline& timeline;
    Dice& dice;
    const ClusterOptions& options;

    Instant now() const { return timeline.now(); }
};

class Turns {
  public:
    using Turn = std::function<bool(const Key&)>;  // false: failed, again later

    Turns(Surroundings at, Duration least, Duration most, Turn turn)
        : at_(at), least_(least), most_(most), turn_(std::move(turn)) {}
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    void add(const Key& key);
    // A turn of its own at that time, whatever happens until then. The earliest wish counts.
    void add_at(const Key& key, Instant when);
    // While held, turns do not come; afterwards those that were missed do.
    void hold(bool held);

  private:
    void schedule(const Key& key, Duration delay);
    void take(const Key& key);

    Surroundings at_;
    Duration least_, most_;
    Turn turn_;
    std::set<Key> waiting_;
    std::map<Key, Instant> later_;
    std::map<Key, int> failures_;
    bool is_held_ = false;
    std::set<Key> missed_;
};

}  // namespace sluice::sim
