// The words of an explanation, for a person who would rather be asleep.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "cli/verbs/explain.hpp"

namespace sluice::cli {
namespace {

// More rows than this push what matters off the screen.
constexpr std::size_t pods_shown = 30;
constexpr int lines_max = 20;  // of one text
constexpr int label_width = 12;
constexpr std::string_view command_word = "kubectl ";

class Page {
  public:
    explicit Page(const Style& style) : style_(style) {}

    void line(Line line) { lines_.push_back(std::move(line)); }
    void gap() { lines_.emplace_back(); }
    void heading(const std::string& text) {
        gap();
        line({{text, Ink::Bold}});
    }
    // Broken between words; the lines after the first stand below the end of its label.
    void block(const Piece& label, const Line& words) {
        const int indent = terminal::width(label.text);
        const int columns = std::max(20, style_.columns - indent);
        Piece begin = label;
        for (Line& part : terminal::wrapped(words, columns, lines_max, style_)) {
            part.insert(part.begin(), std::move(begin));
            begin = {terminal::padded("", indent)};
            line(std::move(part));
        }
    }
    void text(const std::string& text, Ink ink = Ink::Plain) { block({"  "}, {{text, ink}}); }
    void labelled(const std::string& label, const std::string& text) {
        block({"  " + terminal::padded(label, label_width), Ink::Dim}, {{text}});
    }
    // To be copied: never broken, never cut. What it does stands behind it, or above all of them
    // where one is too long for that.
    void commands(const std::vector<Hint>& hints) {
        int longest = 0;
        for (const Hint& hint : hints)
            longest = std::max(longest, terminal::width(hint.command));
        const bool fits = std::ranges::all_of(hints, [&](const Hint& hint) {
            return 6 + longest + 5 + terminal::width(hint.what) <= style_.columns;
        });
        for (const Hint& hint : hints) {
            if (!hint.what.empty() && !fits) text(hint.what + ":");
            Line parts{{"    $ ", Ink::Dim}, {hint.command, Ink::Accent}};
            const int fill = longest - terminal::width(hint.command) + 3;
            if (!hint.what.empty() && fits)
                parts.push_back({terminal::padded("", fill) + "# " + hint.what, Ink::Dim});
            line(std::move(parts));
        }
    }
    std::vector<Line> take() { return std::move(lines_); }

  private:
    const Style& style_;
    std::vector<Line> lines_;
};

void add_title(Page& page, const Explanation& all) {
    const api::Steered& steered = all.found.steered;
    std::string rest = fmt::format(" in namespace {}", safe(steered.object.meta.key.ns));
    if (all.standing.workload != steered.title)
        rest += fmt::format(", for {}", safe(all.standing.workload));
    page.line({{safe(steered.title), Ink::Bold}, {rest, Ink::Plain}});
}

void add_standing(Page& page, const Explanation& all, Instant now) {
    const api::Standing& standing = all.standing;
    page.gap();
    if (standing.phase.empty()) {
        page.line({{"  Nobody has reported on it yet.", Ink::Warn}});
        page.text("Is the operator running, and is this namespace among those that it steers?");
        return;
    }
    Line line{{"  " + safe(standing.phase), ink_of(standing.mood)}};
    const bool waits = standing.mood != api::Mood::Resting && !standing.reason.empty();
    if (waits) line.push_back({", because of " + safe(standing.reason), Ink::Plain});
    if (standing.since != Instant{})
        line.push_back({fmt::format(", for {} (since {})", api::age_text(now - standing.since),
                                    to_rfc3339(standing.since)),
                        Ink::Plain});
    page.line(std::move(line));
    if (!standing.message.empty()) page.text(safe(standing.message));
}

std::string joined(const std::vector<std::string>& texts) {
    return fmt::format("{}", fmt::join(texts | std::views::transform(safe), ", "));
}

// The images of a pod that has not changed yet.
std::string old_images(const Explanation& all, const std::string& revision) {
    const auto old = std::ranges::find(all.pods, revision, &api::PodView::revision);
    return old == all.pods.end() ? "" : joined(old->images);
}

void add_facts(Page& page, const Explanation& all, Instant now) {
    page.gap();
    if (const auto& workload = all.found.steered.workload) {
        const model::StatefulSet& set = workload->set;
        const bool pending = is_pending(*workload);
        const std::string from = pending ? safe(set.current_revision) + " -> " : "";
        page.labelled("revision", from + safe(set.update_revision));
        const std::string old = pending ? old_images(all, set.current_revision) : "";
        const std::string images = joined(workload->images);
        page.labelled("image", old.empty() || old == images ? images : old + " -> " + images);
        page.labelled("gate", gate_text(*workload));
    } else {
        page.labelled("workload", safe(all.standing.workload) +
                                      ", of which no pods are shown: it is no StatefulSet, or not "
                                      "there");
    }
    for (const api::Fact& fact : all.found.dialect->facts(all.found.steered, now))
        page.labelled(safe(fact.name), safe(fact.text));
}

Cells pod_row(const api::PodView& pod, const api::Workload& workload, Instant now) {
    const bool is_new = pod.revision == workload.set.update_revision;
    const bool pending = is_pending(workload);
    const std::string side = !is_new ? "old" : pending ? "new" : "current";
    return {{"  " + safe(pod.name)},
            {side, !is_new   ? Ink::Warn
                   : pending ? Ink::Good
                             : Ink::Plain},
            {pod.ready ? "yes" : "no", pod.ready ? Ink::Good : Ink::Bad},
            {safe(pod.state)},
            {std::to_string(pod.restarts)},
            {pod.created == Instant{} ? "" : api::age_text(now - pod.created)}};
}

void add_pods(Page& page, const Explanation& all, Instant now) {
    const auto& workload = all.found.steered.workload;
    if (!workload || all.pods.empty()) return;
    std::vector<Cells> rows(1);
    for (const char* name : {"  POD", "REVISION", "READY", "STATE", "RESTARTS", "AGE"})
        rows.front().push_back({name, Ink::Dim});
    for (const api::PodView& pod : all.pods | std::views::take(pods_shown))
        rows.push_back(pod_row(pod, *workload, now));
    page.gap();
    for (Line& line : terminal::table(rows))
        page.line(std::move(line));
    if (all.pods.size() > pods_shown)
        page.line({{fmt::format("  ... and {} more", all.pods.size() - pods_shown), Ink::Dim}});
}

// Clauses are told in words; a command in one of them stands on a line of its own.
void add_clauses(Page& page, std::string_view text) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("; "), text.size());
        const std::string_view clause = text.substr(0, end);
        const std::size_t command = std::min(clause.find(command_word), clause.size());
        if (command > 0) page.text(std::string{clause.substr(0, command)});
        if (command < clause.size()) page.commands({{std::string{clause.substr(command)}, ""}});
        text.remove_prefix(std::min(end + 2, text.size()));
    }
}

void add_way_out(Page& page, const Explanation& all) {
    if (!all.standing.unblock.empty()) page.heading("What lets it go on");
    add_clauses(page, safe(all.standing.unblock));
    if (!all.hints.empty()) page.heading("What you can do");
    page.commands(all.hints);
}

void add_events(Page& page, const Explanation& all, Instant now) {
    if (all.events.empty()) return;
    page.heading("Events");
    for (const api::EventView& event : all.events) {
        const std::string times = event.count > 1 ? fmt::format(" (x{})", event.count) : "";
        page.block({fmt::format("  {:>6}  ", api::age_text(now - event.at)), Ink::Dim},
                   {{safe(event.reason) + times + ": ", event.warns ? Ink::Warn : Ink::Bold},
                    {safe(event.message), Ink::Plain}});
    }
}

}  // namespace

std::vector<Line> explain_lines(const Explanation& all, const Style& style, Instant now) {
    Page page{style};
    add_title(page, all);
    add_standing(page, all, now);
    add_facts(page, all, now);
    add_pods(page, all, now);
    add_way_out(page, all);
    add_events(page, all, now);
    if (!all.missing.empty()) page.gap();
    for (const std::string& one : all.missing)
        page.text(safe(one), Ink::Warn);
    return page.take();
}

}  // namespace sluice::cli
