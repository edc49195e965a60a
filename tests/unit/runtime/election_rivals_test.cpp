// Rivals over one lease on a server that is slow and loses answers, each with a clock of its own
// that runs up to a quarter too fast or too slow. Whatever happens, no two lead at once, and the
// number that fences their writes never goes back.
#include <gtest/gtest.h>

#include <map>

#include "runtime/election.hpp"

namespace sluice::runtime {
namespace {

using model::Lease;

// The lease as the API server keeps it: an update must name the version that it replaces.
struct Server {
    std::optional<Lease> lease;
    int version = 0;

    Result<Lease> read() const {
        if (!lease) return failure(ErrorKind::NotFound, "no lease");
        return *lease;
    }
    Result<Lease> write(Lease wanted) {
        const std::string current = lease ? lease->resource_version : "";
        if (wanted.resource_version != current) return failure(ErrorKind::Conflict, "too late");
        wanted.resource_version = std::to_string(++version);
        wanted.renewed = wanted.resource_version;
        lease = std::move(wanted);
        return *lease;
    }
};

// One operator: its own clock, and what is on its way to the server and back.
class Rival {
  public:
    Rival(const std::string& name, Dice& dice)
        : election_(name, dice.roll()),
          rate_percent_(static_cast<std::int64_t>(80 + dice.roll() % 41)),
          offset_(static_cast<std::int64_t>(dice.roll() % 10'000'000'000)) {}

    Instant clock(Instant truth) const { return {truth.ms * rate_percent_ / 100 + offset_}; }
    bool leads(Instant truth) const { return election_.leads(clock(truth)); }
    std::int64_t fence() const { return election_.fence().transitions; }

    void run(Server& server, Dice& dice, Instant truth) {
        deliver(server, dice, truth);
        if (asleep_until_ > truth) return;
        if (dice.roll() % 2000 == 0) asleep_until_ = truth + dice.between(1s, 60s);
        const auto request = election_.poll(clock(truth));
        if (!request) return;
        request_ = request;
        arrives_at_ = truth + dice.between(1ms, dice.roll() % 10 ? 500ms : 20s);
    }

  private:
    // The request reaches the server, or its answer reaches us, or is lost on the way.
    void deliver(Server& server, Dice& dice, Instant truth) {
        if (request_ && arrives_at_ <= truth) {
            is_read_ = std::holds_alternative<ReadLease>(*request_);
            const bool is_lost = dice.roll() % 8 == 0;
            answer_ = is_lost    ? failure(ErrorKind::Unreachable, "lost on the way there")
                      : is_read_ ? server.read()
                                 : server.write(std::get<WriteLease>(*request_).lease);
            if (dice.roll() % 8 == 0) answer_ = failure(ErrorKind::Timeout, "lost on the way back");
            request_.reset();
            answered_at_ = truth + dice.between(1ms, 2s);
        }
        if (!answer_ || answered_at_ > truth || asleep_until_ > truth) return;
        if (is_read_)
            election_.on_read(std::move(*answer_), clock(truth));
        else
            election_.on_written(std::move(*answer_), clock(truth));
        answer_.reset();
    }

    Election election_;
    std::int64_t rate_percent_;
    std::int64_t offset_;
    Instant asleep_until_;
    std::optional<LeaseRequest> request_;
    Instant arrives_at_;
    bool is_read_ = false;
    std::optional<Result<Lease>> answer_;
    Instant answered_at_;
};

struct Outcome {
    int lead_changes = 0;
    Duration leaderless{0};
};

Outcome simulate(std::uint64_t seed, Duration length) {
    Dice dice{seed};
    Server server;
    std::vector<Rival> rivals{{"a", dice}, {"b", dice}, {"c", dice}};
    Outcome outcome;
    std::int64_t highest_fence = -1;
    const Rival* leader = nullptr;
    for (Instant truth{0}; truth < Instant{} + length; truth = truth + 50ms) {
        const Rival* leads_now = nullptr;
        for (Rival& rival : rivals)
            rival.run(server, dice, truth);
        for (const Rival& rival : rivals) {
            if (!rival.leads(truth)) continue;
            EXPECT_EQ(leads_now, nullptr) << "two lead at once, seed " << seed;
            leads_now = &rival;
            EXPECT_GE(rival.fence(), highest_fence) << "seed " << seed;
            highest_fence = std::max(highest_fence, rival.fence());
        }
        if (leads_now && leads_now != leader) ++outcome.lead_changes;
        if (!leads_now) outcome.leaderless += 50ms;
        if (leads_now) leader = leads_now;
    }
    return outcome;
}

TEST(ElectionRivals, NoTwoLeadAtOnceAndTheFenceNeverGoesBack) {
    int changes = 0;
    Duration leaderless{0};
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Outcome outcome = simulate(seed, 30min);
        changes += outcome.lead_changes;
        leaderless += outcome.leaderless;
    }
    EXPECT_GT(changes, 120) << "the simulation must make the lead change hands";
    EXPECT_LT(leaderless, 60 * 15min) << "and yet somebody leads most of the time";
}

TEST(ElectionRivals, ANewHolderHasAHigherFenceThanTheOneBefore) {
    Server server;
    std::int64_t last = -1;
    for (int holder = 0; holder < 5; ++holder) {
        const Instant now{holder * 1'000'000};
        Election election{"holder-" + std::to_string(holder), 1};
        static_cast<void>(election.poll(now));
        election.on_read(server.read(), now);
        const auto write = election.poll(now);
        ASSERT_TRUE(write && std::holds_alternative<WriteLease>(*write));
        election.on_written(server.write(std::get<WriteLease>(*write).lease), now);
        ASSERT_TRUE(election.leads(now));
        EXPECT_GT(election.fence().transitions, last);
        last = election.fence().transitions;
        const auto release = election.release(now);
        ASSERT_TRUE(release && server.write(release->lease));
    }
}

}  // namespace
}  // namespace sluice::runtime
