#include "probe/plugin/handshake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::probe {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view line) {
    const auto said = read_handshake(line);
    EXPECT_FALSE(said) << line;
    return said ? "" : said.error().message;
}

TEST(Handshake, APluginSaysWhereItListens) {
    for (const std::string_view line : {"1|1|unix|/tmp/p|grpc", "1|1|unix|/tmp/p|grpc|",
                                        "1|1|unix|/tmp/p|grpc||false", "1|1|unix|/tmp/p|grpc\r"}) {
        const auto said = read_handshake(line);
        ASSERT_TRUE(said) << said.error().message;
        EXPECT_EQ(said->unix_socket, "/tmp/p");
    }
    EXPECT_EQ(read_handshake("1|1|tcp|127.0.0.1:7000|grpc")->authority, "127.0.0.1:7000");
}

TEST(Handshake, WhatSluiceDoesNotSpeakIsNamed) {
    for (const auto& [line, sentence] : std::vector<std::pair<std::string, std::string>>{
             {"", "printed \"\" instead of a handshake"},
             {"hello", "printed \"hello\" instead of a handshake"},
             {"1|1|unix", "instead of a handshake"},
             {"\x1b[2J", "instead of a handshake"},
             {"2|1|unix|/p|grpc", "version \"2\" of go-plugin's protocol"},
             {"1|2|unix|/p|grpc", "version \"2\" of the plugin protocol"},
             {"|||||", "version \"\""},
             {"1|1|unix|/p", "wants to speak \"netrpc\""},
             {"1|1|unix|/p|netrpc", "wants to speak \"netrpc\""},
             {"1|1|unix|/p|grpc|MIIB", "demands TLS on its socket"},
             {"1|1|unix|relative|grpc", "where it cannot be reached"},
             {"1|1|unix||grpc", "where it cannot be reached"},
             {"1|1|tcp||grpc", "where it cannot be reached"},
             {"1|1|udp|1.2.3.4:5|grpc", "listens on \"udp\""}}) {
        EXPECT_THAT(refusal(line), HasSubstr(sentence));
    }
    EXPECT_LT(refusal(std::string(5000, 'x')).size(), 400u);
}

}  // namespace
}  // namespace sluice::probe
