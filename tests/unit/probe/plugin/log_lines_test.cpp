#include "probe/plugin/log_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe/plugin/grpc.hpp"

namespace sluice::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LogLinesTest : public ::testing::Test {
  protected:
    std::vector<std::string> log;
    LogLines lines{"plugin \"p\"", [this](controller::Log::Level, const std::string& text) {
                       log.push_back(text);
                   }};
};

TEST_F(LogLinesTest, LinesComeWholeHoweverTheyAreCut) {
    for (const char c : std::string("one\ntwo\r\n\n\nthree"))
        lines.take({&c, 1});
    EXPECT_THAT(log, ElementsAre("plugin \"p\": one", "plugin \"p\": two"));
    lines.finish();
    EXPECT_EQ(log.back(), "plugin \"p\": three");
    EXPECT_EQ(lines.last_line(), "three");
}

TEST_F(LogLinesTest, NothingForgesALineOrGrowsWithoutEnd) {
    lines.take("\x1b[31mred\a\n");
    EXPECT_FALSE(log.at(0).contains('\x1b') || log.at(0).contains('\a'));
    for (int i = 0; i < 1000; ++i)
        lines.take(std::string(1000, 'x'));
    lines.take("\n");
    EXPECT_LT(log.at(1).size(), 600u);
}

TEST_F(LogLinesTest, AFloodIsLeftOut) {
    for (int i = 0; i < 10'000; ++i)
        lines.take("again\n");
    EXPECT_GE(log.size(), 50u);
    EXPECT_LT(log.size(), 1000u);
    EXPECT_EQ(lines.last_line(), "again");
}

std::string printed(const std::string& text) {
    return to_grpc_frame("\x08\x02\x12" + std::string(1, static_cast<char>(text.size())) + text);
}

TEST_F(LogLinesTest, TheStreamOfGoPluginIsReadHoweverItIsCut) {
    StdioFrames frames;
    for (const char c : printed("one\n") + printed("tw") + printed("o\n"))
        ASSERT_TRUE(frames.take({&c, 1}, lines));
    EXPECT_THAT(log, ElementsAre("plugin \"p\": one", "plugin \"p\": two"));
}

TEST_F(LogLinesTest, AStreamThatMakesNoSenseIsNotReadOn) {
    for (const std::string& bytes :
         {std::string("\x01\0\0\0\x01x", 6), std::string("\0\x7f\xff\xff\xff", 5),
          to_grpc_frame("\xff\xff")}) {
        StdioFrames frames;
        EXPECT_FALSE(frames.take(bytes, lines));
    }
    EXPECT_THAT(log, IsEmpty());
}

}  // namespace
}  // namespace sluice::probe
