#include "sim/demo/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <span>

namespace sluice::sim::demo {

using namespace terminal;

namespace {

constexpr int events_most = 10;
constexpr int margin = 1;
constexpr int why_lines_narrow = 5;
constexpr int why_lines_wide = 4;
constexpr int wide = 100;
constexpr int answer_lines = 2;
constexpr Duration news_age = 12s;
// Where the last picture leaves room for what the shell says next.
constexpr int rows_after = 2;

struct Signs {
    const char* fresh;  // a pod as the template says
    const char* old;
    const char* missing;
    const char* rule;
    const char* gate;
    const char* gate_left;
    const char* gate_right;
    const char* arrow;
    const char* dot;
};
constexpr Signs unicode_signs{"●", "○", "·", "─", "━", "┫", "┣", "→", " · "};
constexpr Signs ascii_signs{"*", "o", ".", "-", "=", "[", "]", "->", " | "};

std::string repeated(const char* sign, int times) {
    std::string text;
    for (int i = 0; i < times; ++i)
        text += sign;
    return text;
}

std::string counted(std::int64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string times(int count) {
    if (count == 1) return "once";
    return count == 2 ? "twice" : fmt::format("{} times", count);
}

// What those who report call it when there is nothing to do.
constexpr std::string_view resting[] = {"", "Idle", "Updated", "Healthy", "Successful", "Ready"};

bool is_waiting(const Scene& scene) {
    return std::ranges::find(resting, scene.set.phase) == std::end(resting);
}

// Of the columns of the table of pods. At 60 columns everything has just its place.
struct Widths {
    int pod = 6;
    int revision = 9;
    int image = 9;
    int state = 17;
    int readiness = 10;
};
constexpr int airy_columns = 74;
constexpr Widths airy{8, 10, 9, 18, 11};

class Picture {
  public:
    Picture(const Scene& scene, const Style& style)
        : scene_(scene),
          style_(style),
          signs_(style.unicode ? unicode_signs : ascii_signs),
          inner_(style.columns - 2 * margin),
          widths_(inner_ >= airy_columns ? airy : Widths{}) {}

    std::vector<std::string> lines() {
        headline();
        if (!scene_.summary) action();
        set();
        pods();
        if (scene_.summary)
            summary(*scene_.summary);
        else
            why();
        events();
        // A set of many pods: what stands below them has no room.
        if (static_cast<int>(lines_.size()) > style_.rows)
            lines_.resize(static_cast<std::size_t>(style_.rows));
        const auto text =
            lines_ | std::views::transform([&](const Line& line) { return written(line, style_); });
        return {text.begin(), text.end()};
    }

  private:
    void headline();
    void action();
    void set();
    void pods();
    void gate();
    void pod(const PodSeen& pod);
    void why();
    void events();
    void summary(const Summary& all);

    void add(Line line) {
        line.insert(line.begin(), {std::string(margin, ' '), Ink::Plain});
        lines_.push_back(cut(line, style_.columns - margin, style_));
    }
    // A paragraph in a space of fixed height.
    void add_block(std::vector<Line> block, int height) {
        block.resize(static_cast<std::size_t>(height));
        for (Line& line : block)
            add(std::move(line));
    }
    void rule(Line title) {
        title.insert(title.begin(), {repeated(signs_.rule, 2) + " ", Ink::Dim});
        title.push_back(
            {" " + repeated(signs_.rule, std::max(0, inner_ - width(title) - 1)), Ink::Dim});
        add(std::move(title));
    }

    const Scene& scene_;
    const Style& style_;
    const Signs& signs_;
    int inner_;
    Widths widths_;
    std::vector<Line> lines_;
};

void Picture::headline() {
    const std::string right = fmt::format("{}  +{}  {:g}x speed", clock_text(scene_.now),
                                          age_text(scene_.now - scene_.begun), scene_.speed);
    Line line{{"Sluice demo", Ink::Bold}, {": " + scene_.title, Ink::Plain}};
    line = cut(line, inner_ - width(right) - 2, style_);
    line.push_back({padded("", std::max(1, inner_ - width(line) - width(right)))});
    line.push_back({right, Ink::Dim});
    add(std::move(line));
}

void Picture::action() {
    if (!scene_.action) {
        add({{"Nobody does anything yet.", Ink::Dim}});
        return add_block({}, 1 + answer_lines);
    }
    // What happened a while ago steps back.
    const bool is_news = scene_.now - scene_.action->at < news_age;
    const auto ink = [&](Ink fresh) { return is_news ? fresh : Ink::Dim; };
    add({{clock_text(scene_.action->at) + "  ", Ink::Dim},
         {scene_.action->caption, ink(Ink::Bold)}});
    const std::string& command = scene_.action->command;
    add({{command.empty() ? "" : "$ " + command, ink(Ink::Accent)}});
    const Ink tone = scene_.action->answer.starts_with("Refused") ? Ink::Bad : Ink::Warn;
    add_block(wrapped({{scene_.action->answer, ink(tone)}}, inner_, answer_lines, style_),
              answer_lines);
}

void Picture::set() {
    const SetSeen& set = scene_.set;
    rule({{fmt::format("{} {}/{}", set.kind, set.ns, set.name), Ink::Bold}});
    const int ready = count_ready(scene_);
    const std::string phase = set.phase.empty() ? "not steered" : set.phase;
    const std::string gap(inner_ < airy_columns ? 2 : 3, ' ');
    const GatePlace place = gate_place(set);
    add({{"image ", Ink::Dim},
         {set.image, Ink::Bold},
         {fmt::format("{}{} ", gap, place.noun), Ink::Dim},
         {place.number, Ink::Bold},
         {gap + "phase ", Ink::Dim},
         {phase, is_waiting(scene_) ? Ink::Warn : Ink::Good},
         {gap + "ready ", Ink::Dim},
         {fmt::format("{}/{}", ready, set.replicas),
          ready == set.replicas ? Ink::Good : Ink::Warn}});
    Line second{{"revision ", Ink::Dim}, {set.current_revision, Ink::Plain}};
    if (set.current_revision != set.update_revision)
        second.push_back({fmt::format(" {} {}", signs_.arrow, set.update_revision), Ink::Plain});
    if (!set.refused.empty()) {
        second.push_back({"   kept back ", Ink::Dim});
        second.push_back({set.refused, Ink::Warn});
    }
    add(std::move(second));
}

void Picture::pods() {
    for (const PodSeen& one : scene_.pods)
        widths_.pod = std::max(widths_.pod, width(one.name) + 2);
    add({{"  " + padded("pod", widths_.pod) + padded("revision", widths_.revision) +
              padded("image", widths_.image) + padded("state", widths_.state) +
              padded("readiness", widths_.readiness) + "age",
          Ink::Dim}});
    bool is_drawn = false;
    for (const PodSeen& one : scene_.pods) {
        if (!is_drawn && is_behind_gate(one, scene_.set)) {
            gate();
            is_drawn = true;
        }
        pod(one);
    }
    if (!is_drawn) gate();
}

void Picture::pod(const PodSeen& pod) {
    const std::string name = " " + padded(pod.name, widths_.pod);
    if (!pod.exists) return add({{signs_.missing + name + "gone", Ink::Dim}});
    const bool old = is_old(pod, scene_.set);
    const std::string word = old ? "old" : is_pending(scene_) ? "new" : "current";
    const Ink ink = old ? Ink::Plain : Ink::Good;
    const Ink tone = pod.state.ends_with("BackOff") ? Ink::Bad : Ink::Warn;
    Line line{{old ? signs_.old : signs_.fresh, ink},
              {name, Ink::Bold},
              {padded(word, widths_.revision) + padded(pod.image, widths_.image), ink},
              {padded(pod.state, widths_.state), pod.state == "Running" ? Ink::Plain : tone},
              {padded(pod.ready ? "ready" : "not ready", widths_.readiness),
               pod.ready ? Ink::Good : Ink::Warn},
              {padded(age_text(pod.age), 4), Ink::Plain}};
    if (pod.restarts > 0) line.push_back({"  " + counted(pod.restarts, "restart"), Ink::Bad});
    add(std::move(line));
}

void Picture::gate() {
    const std::string label =
        fmt::format("{} {} {}", signs_.gate_left, gate_text(scene_), signs_.gate_right);
    const int left = 4;
    const int right = std::max(0, inner_ - left - width(label));
    const bool rests = !is_pending(scene_);
    const Ink ink = rests ? Ink::Dim : count_behind_gate(scene_) == 0 ? Ink::Good : Ink::Warn;
    add({{repeated(signs_.gate, left) + label + repeated(signs_.gate, right), ink}});
}

// Commands stand out from the words around them.
Line with_commands(const std::string& text) {
    Line line;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t begin = std::min(text.find("kubectl ", at), text.size());
        const std::size_t end = std::min(text.find(';', begin), text.size());
        line.push_back({text.substr(at, begin - at), Ink::Dim});
        line.push_back({text.substr(begin, end - begin), Ink::Accent});
        at = end;
    }
    return line;
}

void Picture::why() {
    const SetSeen& set = scene_.set;
    const int height = style_.columns >= wide ? why_lines_wide : why_lines_narrow;
    if (!is_waiting(scene_)) {
        rule({{"nothing waits", Ink::Bold}});
        return add_block(wrapped({{set.message, Ink::Plain}}, inner_, height, style_), height);
    }
    Line title{{"why it waits: ", Ink::Bold}, {set.reason, Ink::Warn}};
    if (set.since)
        title.push_back({fmt::format(", since {} ({})", clock_text(*set.since),
                                     age_text(scene_.now - *set.since)),
                         Ink::Plain});
    rule(std::move(title));
    std::vector<Line> block = wrapped({{set.message, Ink::Plain}}, inner_, height - 1, style_);
    const int left = height - static_cast<int>(block.size());
    if (!set.unblock.empty())
        for (Line& line : wrapped(with_commands(set.unblock), inner_, left, style_))
            block.push_back(std::move(line));
    add_block(std::move(block), height);
}

void Picture::events() {
    rule({{"events", Ink::Bold}});
    const int rows = style_.rows - (scene_.summary ? rows_after : 0);
    const int room = std::clamp(rows - static_cast<int>(lines_.size()), 0, events_most);
    const std::size_t count = std::min(scene_.events.size(), static_cast<std::size_t>(room));
    const std::span shown = std::span{scene_.events}.last(count);
    int columns = 18;
    for (const EventSeen& event : shown)
        columns = std::max(columns, width(event.reason) + 2);
    std::vector<Line> block;
    for (const EventSeen& event : shown) {
        const std::string times = event.count > 1 ? fmt::format(" (x{})", event.count) : "";
        block.push_back({{clock_text(event.at) + "  ", Ink::Dim},
                         {padded(event.reason, columns), event.warns ? Ink::Warn : Ink::Plain},
                         {event.message + times, Ink::Dim}});
    }
    add_block(std::move(block), room);
}

void Picture::summary(const Summary& all) {
    rule({{"what you saw", Ink::Bold}});
    for (const Line& line : summary_lines(all))
        for (Line& part : wrapped(line, inner_, 2, style_))
            add(std::move(part));
    for (Line& line : hint_lines(all))
        add(std::move(line));
}

}  // namespace

std::vector<std::string> draw(const Scene& scene, const Style& style) {
    return Picture{scene, style}.lines();
}

std::vector<Line> summary_lines(const Summary& all) {
    std::vector<Line> lines{{{fmt::format("{} took {} of simulated time; at least {} served.",
                                          all.steps > 0 ? "The rollout" : "It", age_text(all.took),
                                          counted(all.serving_least, "pod"))}}};
    if (!all.gateman.empty())
        lines.push_back({{fmt::format(
            "{} was asked {}{}; it {}.", all.gateman, times(all.questions),
            all.transitions == 0 ? "" : " about " + counted(all.transitions, "transition"),
            all.refusals == 0 ? "never refused" : "refused " + times(all.refusals))}});
    if (all.violations.empty())
        lines.push_back({{all.gateman.empty() ? "No pod was updated before its step"
                                              : "No pod was updated without its approval",
                          Ink::Good},
                         {": the inspector found 0 violations."}});
    for (const std::string& one : all.violations)
        lines.push_back({{"Violation: " + one, Ink::Bad}});
    const std::string writes = counted(all.writes, "API write");
    lines.push_back(
        {{all.steps > 0
              ? fmt::format("{} took {}, events included: {:.1f} a step.",
                            counted(all.steps, "pod step"), writes,
                            static_cast<double>(all.writes) / all.steps)
              : fmt::format("No step was taken; there were {}, events included.", writes)}});
    return lines;
}

std::vector<Line> hint_lines(const Summary& all) {
    int column = 0;
    for (const Hint& hint : all.try_next)
        column = std::max(column, width(hint.command) + 2);
    std::vector<Line> lines;
    lines.reserve(all.try_next.size());
    for (const Hint& hint : all.try_next)
        lines.push_back({{lines.empty() ? "Try next:  " : "           ", Ink::Dim},
                         {padded(hint.command, column), Ink::Accent},
                         {hint.shows, Ink::Plain}});
    return lines;
}

std::string clock_text(Instant at) {
    return to_rfc3339(at).substr(11, 8);
}

std::string gate_text(const Scene& scene) {
    const int all = static_cast<int>(scene.pods.size());
    const int behind = count_behind_gate(scene);
    if (behind == 0) return fmt::format("GATE open, all {} are through", counted(all, "pod"));
    if (!is_pending(scene)) return "GATE closed, nothing is pending";
    if (behind == all) return fmt::format("GATE closed, all {} are behind it", counted(all, "pod"));
    return fmt::format("GATE closed, {} through, {} behind it", all - behind, behind);
}

}  // namespace sluice::sim::demo
