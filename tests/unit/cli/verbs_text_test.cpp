#include <gmock/gmock.h>

#include "cli/verbs/explain.hpp"
#include "cli/verbs/standing.hpp"
#include "tests/unit/api/steered.hpp"

namespace sluice::cli {
namespace {

using namespace api::testing;
using ::testing::HasSubstr;
using ::testing::Not;

const Instant now = parse_rfc3339("2026-01-01T00:12:05Z").value();
constexpr Style plain{80, 24, false, true};

const std::string refused = R"json({"sluice.dev/claim": "pilot/web", "sluice.dev/phase": "Rolling",
    "sluice.dev/reason": "HookRefused", "sluice.dev/since": "2026-01-01T00:00:00Z",
    "sluice.dev/message": "Hook careful refused between web-2 and web-1: 14 shards )json"
                            R"json(are relocating, and two of them are on web-2",
    "sluice.dev/unblock": "it is asked again by itself; to stop asking: )json"
                            R"json(kubectl -n shop annotate statefulset web sluice.dev/paused=true"
})json";
const std::string label = R"({"dd-statefulset-pilot": "careful"})";

Found found(const std::string& annotations) {
    const api::Dialect& pilot = *api::find_dialect("sts");
    return {&pilot, steered(pilot, web_set(annotations, label))};
}

api::PodView pod(int ordinal, const char* revision, const char* image) {
    api::PodView view;
    view.name = "web-" + std::to_string(ordinal);
    view.ordinal = Ordinal{ordinal};
    view.revision = revision;
    view.images = {image};
    view.state = "Running";
    view.ready = true;
    view.created = parse_rfc3339("2026-01-01T00:00:05Z").value();
    return view;
}

Explanation story(const std::string& annotations) {
    Explanation all{found(annotations), {}, {}, {}, {}, {}};
    all.standing = all.found.dialect->standing(all.found.steered);
    all.pods = {pod(2, "web-b", "app:b"), pod(1, "web-a", "app:a"), pod(0, "web-a", "app:a")};
    all.pods[2].ready = false;
    all.pods[2].state = "CrashLoopBackOff";
    all.pods[2].restarts = 4;
    api::EventView event;
    event.at = parse_rfc3339("2026-01-01T00:12:00Z").value();
    event.reason = "HookRefused";
    event.message = "Hook careful refused between web-2 and web-1: 14 shards are relocating";
    event.count = 3;
    event.warns = true;
    all.events = {event};
    all.hints = {{"sluice pause sts/web -n shop", "hold it where it is"}};
    return all;
}

std::string text_of(const std::vector<Line>& lines, const Style& style = plain) {
    std::string text;
    for (const Line& line : lines)
        text += terminal::written(line, style) + "\n";
    return text;
}

std::string explained(const Explanation& all, const Style& style = plain) {
    return text_of(explain_lines(all, style, now), style);
}

TEST(Explain, tells_a_tired_person_everything_in_80_columns) {
    EXPECT_EQ(explained(story(refused)), R"(sts/web in namespace shop

  Rolling, because of HookRefused, for 12m5s (since 2026-01-01T00:00:00Z)
  Hook careful refused between web-2 and web-1: 14 shards are relocating, and
  two of them are on web-2

  revision    web-a -> web-b
  image       app:a -> app:b
  gate        1 of 3 pods through, 2 behind it (partition 2)
  hook        careful

  POD    REVISION  READY  STATE             RESTARTS  AGE
  web-2  new       yes    Running           0         12m
  web-1  old       yes    Running           0         12m
  web-0  old       no     CrashLoopBackOff  4         12m

What lets it go on
  it is asked again by itself
  to stop asking:
    $ kubectl -n shop annotate statefulset web sluice.dev/paused=true

What you can do
    $ sluice pause sts/web -n shop   # hold it where it is

Events
      5s  HookRefused (x3): Hook careful refused between web-2 and web-1: 14
          shards are relocating
)");
}

TEST(Explain, puts_words_above_commands_that_leave_no_room_for_them) {
    Explanation all = story(refused);
    all.hints = {{"sluice pause sts/web -n shop --kubeconfig /a/very/long/path/to/the/kubeconfig",
                  "hold it where it is"}};
    EXPECT_THAT(explained(all),
                HasSubstr("  hold it where it is:\n    $ sluice pause sts/web -n "
                          "shop --kubeconfig /a/very/long/path/to/the/kubeconfig\n"));
}

TEST(Explain, says_when_nobody_has_reported) {
    EXPECT_THAT(explained(story("{}")), HasSubstr("  Nobody has reported on it yet.\n  Is the "
                                                  "operator running"));
}

TEST(Explain, says_what_could_not_be_read) {
    Explanation all = story(refused);
    all.missing = {"Events cannot be shown: events is forbidden"};
    EXPECT_THAT(explained(all), HasSubstr("\n\n  Events cannot be shown: events is forbidden\n"));
}

TEST(Explain, colours_only_where_it_may) {
    Style coloured = plain;
    coloured.colour = true;
    EXPECT_THAT(explained(story(refused), coloured), HasSubstr("\x1b["));
    EXPECT_THAT(explained(story(refused)), Not(HasSubstr("\x1b")));
}

TEST(Explain, prints_nothing_of_others_that_moves_the_cursor) {
    const std::string hostile = R"json({"sluice.dev/phase": "Roll\u001b[2Jing",
        "sluice.dev/reason": "A\u009bB", "sluice.dev/message": "x\u001b]0;owned\u0007\ny\u202e",
        "sluice.dev/unblock": "kubectl \u001b[1A"})json";
    Explanation all = story(hostile);
    all.events[0].message = "\x1b[31mred";
    all.pods[0].state = "\x1b[31mred";
    const std::string text = explained(all) + text_of(get_lines({&all.found}, {}, now));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\x07")));
    EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
    EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(Explain, speaks_to_programs_too) {
    const auto value = json::parse(explain_json(story(refused), now)).as_object();
    EXPECT_EQ(value.at("reason"), "HookRefused");
    EXPECT_EQ(value.at("currentRevision"), "web-a");
    EXPECT_EQ(value.at("partition"), 2);
    EXPECT_EQ(value.at("facts").at("hook"), "careful");
    EXPECT_EQ(value.at("pods").as_array().size(), 3u);
    EXPECT_EQ(value.at("pods").as_array()[0].at("updated"), true);
    EXPECT_EQ(value.at("commands").as_array()[0], "sluice pause sts/web -n shop");
    EXPECT_EQ(value.at("events").as_array()[0].at("count"), 3);
}

TEST(Get, is_one_table_and_what_rests_waits_for_nothing) {
    const Found waits = found(refused);
    const Found rests = found(R"({"sluice.dev/phase": "Idle", "sluice.dev/reason": "Idle"})");
    Asked asked;
    EXPECT_EQ(text_of(get_lines({&waits, &rests}, asked, now)),
              "API    NAME  WORKLOAD  PHASE    STEP      WAITS-FOR    SINCE\n"
              "pilot  web   sts/web   Rolling  1/3 pods  HookRefused  12m5s\n"
              "pilot  web   sts/web   Idle     1/3 pods  -            -\n");
    asked.all_namespaces = true;
    asked.output = Output::Wide;
    const std::string wide = text_of(get_lines({&waits}, asked, now));
    EXPECT_THAT(wide, HasSubstr("NAMESPACE  API"));
    EXPECT_THAT(wide, HasSubstr("SINCE  MESSAGE"));
    EXPECT_THAT(wide, HasSubstr("shop       pilot"));
}

TEST(Get, speaks_to_programs_too) {
    const Found waits = found(refused);
    const auto value = json::parse(get_json({&waits}));
    EXPECT_EQ(value.at("items").as_array()[0].at("since"), "2026-01-01T00:00:00Z");
    EXPECT_EQ(value.at("items").as_array()[0].at("pending"), true);
    EXPECT_EQ(get_json({}), "{\n  \"items\": []\n}\n");
}

}  // namespace
}  // namespace sluice::cli
