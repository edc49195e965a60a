#include "sim/scenario/play.hpp"

#include <fmt/format.h>

#include "sim/scenario/words.hpp"

namespace sluice::sim {
namespace {

constexpr Duration patience_when_disturbed = 40min;
constexpr Duration look_every = 250ms;

Problem carry_out(const Action& action, World& world, Words words) {
    const auto tell = [&](auto act) -> Problem {
        using Given = decltype(act(world, words));
        if constexpr (std::is_same_v<Given, Problem>) return act(world, words);
        if constexpr (std::is_same_v<Given, Response>) return problem_of(act(world, words));
        if constexpr (std::is_void_v<Given>) act(world, words);
        return std::nullopt;
    };
    return std::visit(tell, action.act);
}

class Player {
  public:
    Player(const Scenario& scenario, std::uint64_t seed, Turn turn)
        : scenario_(scenario),
          turn_(std::move(turn)),
          world_(std::make_unique<World>(world_options(scenario, seed))) {
        if (turn_) world_->faults.on_moment = [this](Moment moment) { arrive(moment); };
    }

    Outcome play();

  private:
    void arrive(Moment moment);
    bool run(const Block& block);
    bool act(const Block& block);
    bool expect_within(const Block& block);
    bool expect_for(const Block& block);
    void check_idle();
    std::string first_not_seen(const Block& block) const;
    bool problem(int line, const std::string& what);
    Instant now() const { return world_->cluster.now(); }

    const Scenario& scenario_;
    Turn turn_;
    bool is_quiet_ = true;  // nothing is disturbed, or nothing has been yet
    Tail tail_ = tail_of_a_quiet_run;
    std::unique_ptr<World> world_;
    Instant begun_;
    std::vector<std::string> problems_;
};

void Player::arrive(Moment moment) {
    const Disturbance* begun = is_quiet_ ? turn_(moment) : nullptr;
    if (!begun) return;
    is_quiet_ = false;
    tail_ = begun->tail;
    world_->faults.plan(begun->faults);
}

bool Player::problem(int line, const std::string& what) {
    problems_.push_back(fmt::format("{}:{}: {}", scenario_.name, line, what));
    return false;
}

bool Player::act(const Block& block) {
    for (const Statement& statement : block.statements) {
        const Statement plain = without(statement, "refused");
        const bool must_fail = plain.words.size() < statement.words.size();
        const auto matched = match(actions(), plain);
        if (!matched) continue;  // was refused when the scenario was read
        const auto wrong = carry_out(*matched->row, *world_, matched->rest);
        if (wrong && !must_fail) return problem(statement.line, *wrong);
        if (!wrong && must_fail)
            return problem(statement.line, "it was not refused: " + plain.text());
    }
    return true;
}

std::string Player::first_not_seen(const Block& block) const {
    for (const Statement& statement : block.statements) {
        const Statement plain = without(statement, "quietly");
        const auto matched = match(expectations(), plain);
        if (!matched) continue;
        const bool is_firm = matched->row->is_firm && plain.words.size() == statement.words.size();
        if (!is_quiet_ && !is_firm) continue;
        if (const auto instead = matched->row->look(*world_, matched->rest))
            return fmt::format("line {}: \"{}\", but saw {}", statement.line, statement.text(),
                               *instead);
    }
    return {};
}

bool Player::expect_within(const Block& block) {
    const Instant due = now() + block.time;
    std::string missing = first_not_seen(block);
    while (!missing.empty() && now() < due + (is_quiet_ ? 0ms : patience_when_disturbed)) {
        world_->cluster.run_for(look_every);
        missing = first_not_seen(block);
    }
    return missing.empty() ||
           problem(block.line,
                   fmt::format("not within {}: {}", sluice::to_text(block.time), missing));
}

bool Player::expect_for(const Block& block) {
    const Instant end = now() + block.time;
    while (now() < end) {
        const std::string missing = first_not_seen(block);
        if (!missing.empty())
            return problem(block.line,
                           fmt::format("not for {}: {}", sluice::to_text(block.time), missing));
        world_->cluster.run_for(look_every * 4);
    }
    return true;
}

bool Player::run(const Block& block) {
    switch (block.kind) {
        case Block::Kind::Given:
            if (!act(block)) return false;
            // The sets come up before anybody steers them, and before the clock of the scenario
            // starts.
            world_->cluster.run_for(2min);
            return true;
        case Block::Kind::At:
            if (now() < begun_ + block.time)
                world_->cluster.timeline().run_until(begun_ + block.time);
            return act(block);
        case Block::Kind::After: world_->cluster.run_for(block.time); return act(block);
        case Block::Kind::ExpectFor: return expect_for(block);
        case Block::Kind::ExpectWithin:
        case Block::Kind::Finally: break;
    }
    return expect_within(block);
}

// When all is done nobody writes any more, and every operator knows the world as it is.
void Player::check_idle() {
    world_->cluster.run_for(tail_.settling);
    const int before = world_->inspector.writes();
    world_->cluster.run_for(tail_.idle);
    const int written = world_->inspector.writes() - before;
    if (written > 0)
        problem(scenario_.blocks.back().line,
                fmt::format("L5: {} writes while nothing happened", written));
    for (const auto& one : world_->operators)
        world_->inspector.end(*one);
}

Outcome Player::play() {
    const Instant start = now();
    bool begun = false;
    bool well = true;
    for (const Block& block : scenario_.blocks) {
        if (!begun && block.kind != Block::Kind::Given) {
            begun = true;
            world_->start_operators();
            begun_ = now();
        }
        well = well && run(block);
    }
    // What happens after the last line is checked, and not disturbed: a fault whose exchange did
    // not come in time does not come at all.
    std::vector<Exchange> exchanges = world_->faults.exchanges();
    const int batches = world_->faults.batches();
    world_->faults.cease();
    if (well) check_idle();
    Outcome outcome{std::move(problems_), world_->inspector.tested()};
    if (well) outcome.tested.insert({"L1", "L5"});
    for (const std::string& one : world_->inspector.violations())
        outcome.problems.push_back(fmt::format("{}: {}", scenario_.name, one));
    outcome.exchanges = std::move(exchanges);
    outcome.batches = batches;
    outcome.injected = world_->faults.injected();
    outcome.simulated = now() - start;
    return outcome;
}

}  // namespace

Outcome play(const Scenario& scenario, std::uint64_t seed, Turn turn) {
    return Player{scenario, seed, std::move(turn)}.play();
}

Outcome play(const Scenario& scenario, std::uint64_t seed, const Disturbance& disturbance) {
    return play(scenario, seed, [&](Moment moment) {
        return disturbance.begins_at(moment) ? &disturbance : nullptr;
    });
}

}  // namespace sluice::sim
