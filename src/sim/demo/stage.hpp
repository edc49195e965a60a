// Plays a story on a world of its own, as far as it is told. The same story and seed give the same
// play, however it is cut into pieces of time.
#pragma once

#include <optional>

#include "sim/demo/story.hpp"

namespace sluice::sim::demo {

class Stage {
  public:
    // Time goes by in beats: between two of them nothing is looked at.
    static constexpr Duration beat = 100ms;
    // What does not come to an end by then never will.
    static constexpr Duration longest = 10min;

    // The curtain rises on a set that has been running for hours, and is steered.
    Stage(const Story& story, std::uint64_t seed);
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // One beat, and what is to be seen then. With a summary once the story is over.
    const Scene& next();
    const Scene& scene() const { return scene_; }
    bool is_over() const { return scene_.summary.has_value(); }
    bool ended_well() const;

  private:
    void run_steps();
    void act(const Step& step);
    void look_around();
    Summary summary() const;
    void on_change(const Change& change);

    const Story& story_;
    World world_;
    Scene scene_;
    std::size_t step_ = 0;
    std::optional<Instant> step_due_;
    std::optional<Instant> first_action_;
    std::optional<Instant> over_since_;
    std::optional<UserAction> last_action_;
    Instant begun_;
    int writes_before_ = 0;
    int steps_taken_ = 0;
    int serving_least_ = 0;
};

}  // namespace sluice::sim::demo
