#include "sim/demo/screen.hpp"

#include <gtest/gtest.h>

#include "tests/golden/golden.hpp"
#include "tests/unit/sim/demo/moments.hpp"

namespace sluice::sim::demo {
namespace {

constexpr terminal::Style plain{.colour = false};

std::string drawn(const Scene& scene, const terminal::Style& style) {
    std::string text;
    for (const std::string& line : draw(scene, style))
        text += line + "\n";
    return text;
}

// Escape codes as a person can read them in a diff.
std::string readable(const std::string& text) {
    std::string result;
    for (const char c : text)
        result += c == '\x1b' ? std::string{"^"} : std::string{c};
    return result;
}

void expect_frame(const std::string& name, const std::string& text) {
    golden::expect_golden("tests/unit/sim/demo/" + name + ".golden", text);
}

TEST(DemoScreen, DrawsARolloutThatWaits) {
    expect_frame("refused", drawn(refused(), plain));
}

TEST(DemoScreen, DrawsTheSameInColour) {
    expect_frame("refused_colour", readable(drawn(refused(), {})));
}

TEST(DemoScreen, DrawsTheSameInAscii) {
    const std::string text = drawn(refused(), {.colour = false, .unicode = false});
    expect_frame("refused_ascii", text);
    for (const char c : text)
        EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(DemoScreen, DrawsAPodThatDoesNotComeUp) {
    expect_frame("crashing", drawn(crashing(), plain));
}

TEST(DemoScreen, DrawsWhatNobodyTouchesYet) {
    expect_frame("at_rest", drawn(at_rest(), plain));
}

TEST(DemoScreen, DrawsASummaryAtTheEnd) {
    expect_frame("completed", drawn(completed(), plain));
}

TEST(DemoScreen, FitsEveryTerminalThatIsLargeEnough) {
    for (const Scene& scene : {at_rest(), refused(), crashing(), completed()})
        for (int columns = columns_least; columns <= 200; ++columns)
            for (int rows : {rows_least, 24, 40}) {
                const auto lines = draw(scene, {.columns = columns, .rows = rows, .colour = false});
                EXPECT_LE(lines.size(), static_cast<std::size_t>(rows));
                for (const std::string& line : lines)
                    EXPECT_LE(terminal::width(line), columns) << line;
            }
}

TEST(DemoScreen, FitsALowTerminalWithManyPods) {
    Scene scene = refused();
    scene.set.replicas = 30;
    for (std::int64_t index = 3; index < 30; ++index)
        scene.pods.insert(scene.pods.begin(), pod_seen(index, "1.1", 1min));
    EXPECT_EQ(draw(scene, plain).size(), 24U);
}

TEST(DemoScreen, IsAlwaysOfTheSameHeightWhileTheStoryGoesOn) {
    const std::size_t height = draw(at_rest(), plain).size();
    EXPECT_EQ(draw(refused(), plain).size(), height);
    EXPECT_EQ(draw(crashing(), plain).size(), height);
    Scene scene = refused();
    scene.pods[1] = PodSeen{.name = "db-1", .index = 1};
    scene.set.partition = 0;
    EXPECT_EQ(draw(scene, plain).size(), height);
}

TEST(DemoScreen, HasNoEscapeCodesWithoutColour) {
    for (const Scene& scene : {at_rest(), refused(), crashing(), completed()})
        EXPECT_EQ(drawn(scene, plain).find('\x1b'), std::string::npos);
}

TEST(DemoScreen, LeavesEveryLineInThePlainInk) {
    for (const std::string& line : draw(refused(), {})) {
        const std::size_t last = line.rfind('\x1b');
        if (last != std::string::npos) {
            EXPECT_EQ(line.substr(last, 4), "\x1b[0m") << line;
        }
    }
}

TEST(DemoScreen, KeepsEscapeCodesOfStrangersFromTheTerminal) {
    Scene scene = refused();
    scene.set.message = "a hook\x1b[2J says this";
    EXPECT_EQ(drawn(scene, plain).find('\x1b'), std::string::npos);
}

TEST(DemoScreen, TellsOldFromNewWithoutColour) {
    const std::string text = drawn(refused(), plain);
    EXPECT_NE(text.find("● db-2"), std::string::npos);
    EXPECT_NE(text.find("○ db-1"), std::string::npos);
}

TEST(DemoScreen, DrawsTheGateAboveThePodsBehindIt) {
    Scene scene = refused();
    const std::string names[] = {"db-2", "db-1", "db-0"};
    for (std::int64_t partition = 0; partition <= 4; ++partition) {
        scene.set.partition = partition;
        const std::string text = drawn(scene, plain);
        const std::size_t gate = text.find("GATE");
        for (std::int64_t index = 0; index < 3; ++index) {
            const std::size_t row = text.find(" db-" + std::to_string(index) + "  ");
            EXPECT_EQ(row > gate, index < partition) << "partition " << partition;
        }
    }
}

TEST(DemoScreen, NamesEveryViolation) {
    Scene scene = completed();
    scene.summary->violations = {"S1 at noon: a pod was updated"};
    const std::string text = drawn(scene, plain);
    EXPECT_NE(text.find("S1 at noon"), std::string::npos);
    EXPECT_EQ(text.find("0 violations"), std::string::npos);
}

}  // namespace
}  // namespace sluice::sim::demo
