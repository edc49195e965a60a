// Any byte string gives a value or an Error: no crash, no hang, no half-read object.
#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "model/decode.hpp"
#include "tests/unit/model/kept.hpp"
#include "tests/unit/model/texts.hpp"

namespace sluice::model {
namespace {

using testing::config_map_text;
using testing::pod_text;
using testing::rollout_text;
using testing::statefulset_text;
using testing::watch_line;
using testing::with;

struct Sample {
    const Resource& kind;
    const std::string& text;
};
const Sample samples[] = {{statefulsets, statefulset_text},
                          {pods, pod_text},
                          {config_maps, config_map_text},
                          {testing::rollouts, rollout_text}};

TEST(HostileBytes, AnObjectThatIsCutShortAtAnyByteIsAnError) {
    Decoder decoder;
    for (const auto& [kind, text] : samples) {
        for (std::size_t length = 0; length < text.size(); ++length)
            EXPECT_FALSE(decoder.object(kind, text.substr(0, length)).has_value())
                << "after " << length << " bytes";
        EXPECT_TRUE(decoder.object(kind, text).has_value());
    }
}

TEST(HostileBytes, AWatchLineThatIsCutShortAtAnyByteIsAnError) {
    Decoder decoder;
    for (const auto& [kind, text] : samples) {
        const std::string line = watch_line("ADDED", text);
        for (std::size_t length = 0; length < line.size(); ++length)
            EXPECT_FALSE(decoder.watch_event(kind, line.substr(0, length)).has_value())
                << "after " << length << " bytes";
    }
}

TEST(HostileBytes, AListThatIsCutShortAtAnyByteIsAnError) {
    Decoder decoder;
    for (const auto& [kind, text] : samples) {
        const std::string page = R"({"metadata":{"resourceVersion":"9","continue":"x"},"items":[)" +
                                 text + "," + text + R"(],"kind":"List"})";
        for (std::size_t length = 0; length < page.size(); ++length)
            EXPECT_FALSE(decoder.list(kind, page.substr(0, length)).has_value())
                << "after " << length << " bytes";
        EXPECT_TRUE(decoder.list(kind, page).has_value());
    }
}

TEST(HostileBytes, AByteThatFlippedGivesAValueOrAnError) {
    Decoder decoder;
    Dice dice{20260131};
    for (const auto& [kind, text] : samples) {
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::string broken = text;
            broken[at] = static_cast<char>(dice.roll());
            static_cast<void>(decoder.object(kind, broken));
            static_cast<void>(decoder.watch_event(kind, watch_line("MODIFIED", broken)));
        }
    }
}

TEST(HostileBytes, PiecesOfObjectsInAnyOrderGiveAValueOrAnError) {
    Decoder decoder;
    Dice dice{7};
    for (int round = 0; round < 5000; ++round) {
        std::string soup;
        for (int piece = 0; piece < 4; ++piece) {
            const std::string& text = samples[dice.roll() % 3].text;
            const std::size_t from = dice.roll() % text.size();
            soup += text.substr(from, dice.roll() % 200);
        }
        for (const Resource* kind : {&statefulsets, &pods, &config_maps}) {
            static_cast<void>(decoder.object(*kind, soup));
            static_cast<void>(decoder.object(*kind, R"({"metadata":)" + soup));
            static_cast<void>(decoder.list(*kind, R"({"items":[)" + soup));
        }
    }
}

std::string nested(std::size_t depth, const char* open, const char* close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i)
        text += open;
    for (std::size_t i = 0; i < depth; ++i)
        text += close;
    return text;
}

TEST(HostileBytes, AHundredThousandBracketsInAFieldNobodyReadsDoNoHarm) {
    Decoder decoder;
    const std::string brackets = nested(100'000, "[", "]");
    const std::string objects = nested(100'000, "{\"a\":", "}");
    for (const std::string& deep : {brackets, objects}) {
        static_cast<void>(decoder.object(statefulsets, deep));
        static_cast<void>(decoder.list(statefulsets, deep));
        static_cast<void>(decoder.watch_event(statefulsets, deep));
        for (const char* place : {"\"template\": {", "\"selector\": {", "\"replicas\": 3"})
            static_cast<void>(decoder.object(
                statefulsets, with(statefulset_text, place, "\"deep\": " + deep + ", " + place)));
        static_cast<void>(decoder.object(
            statefulsets,
            with(statefulset_text, "\"creationTimestamp\": null", "\"deep\": " + deep)));
    }
}

TEST(HostileBytes, BracketsThatNeverCloseAreAnError) {
    Decoder decoder;
    for (const char* open :
         {"[", "{\"a\":", "{\"metadata\":", "{\"items\":[", "{\"spec\":{\"template\":{"}) {
        const std::string text = nested(100'000, open, "");
        EXPECT_FALSE(decoder.object(statefulsets, text).has_value());
        EXPECT_FALSE(decoder.list(statefulsets, text).has_value());
        EXPECT_FALSE(decoder.watch_event(statefulsets, text).has_value());
    }
}

TEST(HostileBytes, OfTwoEqualKeysTheLastOneCounts) {
    Decoder decoder{testing::kept()};
    const auto object = decoder.object(
        statefulsets, with(statefulset_text, "\"replicas\": 3", R"("replicas": 9, "replicas": 3)"));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(std::get<StatefulSet>(*object).replicas, PodCount{3});
    const auto labels = decoder.object(
        statefulsets, with(statefulset_text, R"("app": "web", "dd-statefulset-pilot")",
                           R"("dd-statefulset-pilot": "noop", "dd-statefulset-pilot")"));
    ASSERT_TRUE(labels.has_value());
    EXPECT_EQ(std::get<StatefulSet>(*labels).labels.at("dd-statefulset-pilot"), "elasticsearch");
}

TEST(HostileBytes, KeysWrittenWithEscapesAreTheSameKeys) {
    Decoder decoder;
    const auto object =
        decoder.object(statefulsets, with(statefulset_text, "\"replicas\"", R"("\u0072eplicas")"));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(std::get<StatefulSet>(*object).replicas, PodCount{3});
}

TEST(HostileBytes, BytesThatAreNoUtf8AreAnError) {
    Decoder decoder;
    for (const char* bytes :
         {"\xff", "\xc3\x28", "\xed\xa0\x80", "\xf8\x88\x80\x80\x80", "\xc0\xaf"})
        EXPECT_FALSE(
            decoder.object(statefulsets, with(statefulset_text, "nginx", bytes)).has_value());
    EXPECT_FALSE(
        decoder.object(config_maps, with(config_map_text, "careful", R"(\ud800)")).has_value());
}

TEST(HostileBytes, ANulByteInsideATextIsNoEndOfIt) {
    Decoder decoder;
    const auto object = decoder.object(
        config_maps, with(config_map_text, "\"empty\": \"\"", R"("empty": "a\u0000b")"));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(std::get<ConfigMap>(*object).data.at("empty"), std::string("a\0b", 3));
    std::string raw = config_map_text;
    raw[raw.find("careful")] = '\0';
    EXPECT_FALSE(decoder.object(config_maps, raw).has_value());
}

TEST(HostileBytes, AVersionThatIsNoNumberIsZero) {
    Decoder decoder;
    const auto object =
        decoder.object(pods, with(pod_text, "\"8700\"", "\"99999999999999999999999\""));
    ASSERT_TRUE(object.has_value());
    EXPECT_EQ(meta_of(*object).resource_version, 0u);
}

}  // namespace
}  // namespace sluice::model
