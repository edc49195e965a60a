#include "probe/plugin/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <optional>
#include <tuple>

#include "base/printable.hpp"

namespace sluice::probe {

namespace asio = boost::asio;
using SteadyClock = std::chrono::steady_clock;
using Level = controller::Log::Level;

namespace {

using Key =
    std::tuple<std::string, std::string, std::string, std::vector<std::string>, std::string>;

Key key_of(const PluginPrograms::Named& named) {
    const auto& [plugin, program] = named;
    return {plugin, program.path, program.sha256, program.args, program.below};
}

struct Entry {
    Entry(asio::io_context& loop, std::string whom, runtime::BackoffRange range)
        : subject(std::move(whom)), backoff(range), idle(loop) {}

    std::string subject;
    std::unique_ptr<PluginProcess> process;
    std::optional<GrpcPeer> peer;
    std::vector<PluginPrograms::Ready> waiting;
    runtime::Backoff backoff;
    SteadyClock::time_point started;
    SteadyClock::time_point not_before;  // the next start
    SteadyClock::time_point used;
    Error last{};  // why it ended
    int silences = 0;
    bool is_ending = false;
    asio::steady_timer idle;
};

}  // namespace

struct PluginPrograms::State : std::enable_shared_from_this<PluginPrograms::State> {
    State(asio::io_context& io, PluginLog sink, ProgramBounds limits)
        : loop(io),
          log(std::move(sink)),
          bounds(limits),
          dice(static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count())) {}

    template <class React>
    auto when_there(Key key, React react) {
        return [weak = weak_from_this(), key = std::move(key), react](const auto&... came) {
            const std::shared_ptr<State> self = weak.lock();
            if (!self) return;
            const auto found = self->entries.find(key);
            if (found != self->entries.end()) react(*self, found->first, *found->second, came...);
        };
    }

    void reply(Ready ready, Result<GrpcPeer> result) {
        asio::post(loop,
                   [weak = weak_from_this(), ready = std::move(ready), result = std::move(result)] {
                       if (weak.lock()) ready(result);
                   });
    }

    void start(const Key& key, Entry& entry, const PluginProgram& program);
    void on_ready(Entry& entry, GrpcPeer peer);
    void on_end(const Key& key, Entry& entry, Error why);
    void end(const Key& key, Entry& entry);
    void erase(const Key& key);
    void watch_idleness(const Key& key, Entry& entry);
    Error not_yet(const Entry& entry) const;

    asio::io_context& loop;
    PluginLog log;
    const ProgramBounds bounds;
    Dice dice;
    std::map<Key, std::shared_ptr<Entry>> entries;
    std::function<void()> all_ended;
};

void PluginPrograms::State::start(const Key& key, Entry& entry, const PluginProgram& program) {
    entry.started = SteadyClock::now();
    entry.silences = 0;
    PluginProcess::Events events{
        .ready = when_there(key, [](State& self, const Key&, Entry& here,
                                    const GrpcPeer& peer) { self.on_ready(here, peer); }),
        .ended = when_there(key, [](State& self, const Key& mine, Entry& here, const Error& why) {
            self.on_end(mine, here, why);
        })};
    entry.process = std::make_unique<PluginProcess>(loop, entry.subject, program, log,
                                                    bounds.process, std::move(events));
}

void PluginPrograms::State::on_ready(Entry& entry, GrpcPeer peer) {
    entry.peer = std::move(peer);
    for (Ready& ready : std::exchange(entry.waiting, {}))
        reply(std::move(ready), *entry.peer);
}

void PluginPrograms::State::on_end(const Key& key, Entry& entry, Error why) {
    const auto now = SteadyClock::now();
    log(entry.is_ending ? Level::Info : Level::Warning, why.message);
    entry.process.reset();
    entry.peer.reset();
    for (Ready& ready : std::exchange(entry.waiting, {}))
        reply(std::move(ready), std::unexpected(why));
    if (entry.is_ending) return erase(key);
    if (now - entry.started >= bounds.steady_after) entry.backoff.reset();
    entry.not_before = now + entry.backoff.next(dice);
    entry.last = std::move(why);
}

void PluginPrograms::State::end(const Key& key, Entry& entry) {
    entry.is_ending = true;
    if (!entry.process) return erase(key);
    entry.process->end();
}

void PluginPrograms::State::erase(const Key& key) {
    entries.erase(Key(key));
    if (entries.empty() && all_ended) asio::post(loop, std::exchange(all_ended, nullptr));
}

void PluginPrograms::State::watch_idleness(const Key& key, Entry& entry) {
    entry.idle.expires_at(entry.used + bounds.idle_max);
    entry.idle.async_wait(when_there(
        key, [](State& self, const Key& mine, Entry& here, boost::system::error_code stopped) {
            if (stopped || here.is_ending) return;
            const bool is_idle = SteadyClock::now() >= here.used + self.bounds.idle_max;
            is_idle ? self.end(mine, here) : self.watch_idleness(mine, here);
        }));
}

Error PluginPrograms::State::not_yet(const Entry& entry) const {
    return {entry.last.kind,
            fmt::format("{}; it is started again within a minute", entry.last.message)};
}

PluginPrograms::PluginPrograms(asio::io_context& loop, PluginLog log, ProgramBounds bounds)
    : state_(std::make_shared<State>(loop, std::move(log), bounds)) {}

PluginPrograms::~PluginPrograms() {
    state_->entries.clear();
}

void PluginPrograms::reach(const Named& named, Ready ready) {
    State& self = *state_;
    const Key key = key_of(named);
    const std::string subject = "plugin " + quoted(named.first);
    auto found = self.entries.find(key);
    if (found == self.entries.end()) {
        if (self.entries.size() >= self.bounds.programs_max) {
            return self.reply(std::move(ready),
                              failure(ErrorKind::Throttled,
                                      fmt::format("{} is not started: {} others already are",
                                                  subject, self.bounds.programs_max)));
        }
        const auto made = std::make_shared<Entry>(self.loop, subject, self.bounds.backoff);
        found = self.entries.emplace(key, made).first;
    }
    Entry& entry = *found->second;
    entry.used = SteadyClock::now();
    if (entry.is_ending) {
        return self.reply(std::move(ready),
                          failure(ErrorKind::Unreachable, subject + " is being ended just now"));
    }
    if (entry.peer) return self.reply(std::move(ready), *entry.peer);
    if (!entry.process && entry.used < entry.not_before) {
        return self.reply(std::move(ready), std::unexpected(self.not_yet(entry)));
    }
    entry.waiting.push_back(std::move(ready));
    if (entry.process) return;
    self.start(key, entry, named.second);
    if (!named.second.below.empty()) self.watch_idleness(key, entry);
}

void PluginPrograms::heard(const Named& named, bool answered) {
    const auto found = state_->entries.find(key_of(named));
    if (found == state_->entries.end() || !found->second->peer) return;
    Entry& entry = *found->second;
    entry.silences = answered ? 0 : entry.silences + 1;
    if (entry.silences < state_->bounds.silences_max) return;
    entry.peer.reset();
    entry.process->kill(
        {ErrorKind::Timeout,
         fmt::format("did not answer {} times in a row, and was killed", entry.silences)});
}

void PluginPrograms::keep(const std::vector<Named>& declared) {
    std::vector<Key> gone;
    for (const auto& [key, entry] : state_->entries) {
        const bool is_named_by_a_rollout = !std::get<4>(key).empty();
        const bool is_declared =
            std::ranges::any_of(declared, [&](const Named& named) { return key_of(named) == key; });
        if (!is_named_by_a_rollout && !is_declared && !entry->is_ending) gone.push_back(key);
    }
    for (const Key& key : gone)
        state_->end(key, *state_->entries.at(key));
}

void PluginPrograms::end_all(std::function<void()> done) {
    std::vector<Key> keys;
    for (const auto& [key, entry] : state_->entries)
        keys.push_back(key);
    state_->all_ended = std::move(done);
    for (const Key& key : keys)
        state_->end(key, *state_->entries.at(key));
    if (keys.empty()) asio::post(state_->loop, std::exchange(state_->all_ended, nullptr));
}

int PluginPrograms::pid_of(const Named& named) const {
    const auto found = state_->entries.find(key_of(named));
    const bool runs = found != state_->entries.end() && found->second->process;
    return runs ? found->second->process->pid() : 0;
}

std::size_t PluginPrograms::count() const {
    return state_->entries.size();
}

}  // namespace sluice::probe
