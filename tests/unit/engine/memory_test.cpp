#include "engine/memory.hpp"

#include <gtest/gtest.h>

#include "base/dice.hpp"
#include "tests/unit/engine/seen.hpp"

namespace sluice::engine {
namespace {

using testing::noon;

Memory some_memory() {
    return {.uid = "123e4567",
            .id = 7,
            .revision = "web-7cc",
            .template_hash = 0xfedcba9876543210,
            .partition = Partition{2},
            .open = true,
            .started = noon,
            .generation = 12,
            .corrected = noon + 30s,
            .brake = Partition{4},
            .retry = 0x17};
}

TEST(Memory, IsAShortTextThatAPersonCanRead) {
    EXPECT_EQ(encode(some_memory()),
              R"({"uid":"123e4567","id":7,"revision":"web-7cc","template":"fedcba9876543210",)"
              R"("partition":2,"open":true,"started":"2026-09-21T14:13:20Z",)"
              R"("corrected":"2026-09-21T14:13:50Z","generation":12,"brake":4,)"
              R"("retry":"0000000000000017"})");
}

TEST(Memory, LeavesOutWhatThereIsNothingToSayAbout) {
    Memory memory = some_memory();
    memory.corrected = {};
    memory.brake = {};
    memory.retry = 0;
    const std::string text = encode(memory);
    EXPECT_EQ(text, R"({"uid":"123e4567","id":7,"revision":"web-7cc",)"
                    R"("template":"fedcba9876543210","partition":2,"open":true,)"
                    R"("started":"2026-09-21T14:13:20Z","generation":12})");
    memory.retry = memory.list = 1;
    memory.place = 1;
    memory.found = Partition{0};
    memory.returning = memory.failed = true;
    EXPECT_EQ(encode(memory), text.substr(0, text.size() - 1) +
                                  R"(,"retry":"0000000000000001","returning":true,)"
                                  R"("failed":true,"place":1,"list":"0000000000000001",)"
                                  R"("found":0})");
    EXPECT_EQ(decode_memory(encode(memory)), memory);
}

TEST(Memory, IsBoundedInItsLengthItsCountAndItsPlace) {
    Memory memory = some_memory();
    memory.revision = std::string(2048 - encode(memory).size() + memory.revision.size(), 'r');
    ASSERT_EQ(encode(memory).size(), 2048u);
    EXPECT_EQ(decode_memory(encode(memory)), memory);
    memory.revision += 'r';
    EXPECT_EQ(decode_memory(encode(memory)), std::nullopt);

    memory = some_memory();
    memory.id = 1'000'000'000'000;
    EXPECT_EQ(decode_memory(encode(memory)), memory);
    ++memory.id;
    EXPECT_EQ(decode_memory(encode(memory)), std::nullopt);

    memory = some_memory();
    memory.place = 1'001;
    EXPECT_EQ(decode_memory(encode(memory))->place, 1'000);
    memory.place = 1'000;
    EXPECT_EQ(decode_memory(encode(memory)), memory);
}

TEST(Memory, ComesBackAsItWas) {
    Dice dice{1};
    for (int round = 0; round < 2000; ++round) {
        Memory memory = some_memory();
        memory.id = static_cast<std::int64_t>(dice.roll() % 1'000'000'000'000);
        memory.generation = static_cast<std::int64_t>(dice.roll() >> 1);
        memory.template_hash = dice.roll();
        memory.partition = Partition{static_cast<std::int32_t>(dice.roll() & 0x7fffffff)};
        memory.open = dice.roll() % 2 == 0;
        memory.started = Instant{static_cast<std::int64_t>(dice.roll() % 4'000'000'000) * 1000};
        memory.corrected = dice.roll() % 2 ? Instant{} : memory.started + 1s;
        memory.uid = std::string(1 + dice.roll() % 40, static_cast<char>('a' + dice.roll() % 26));
        memory.retry = dice.roll();
        EXPECT_EQ(decode_memory(encode(memory)), memory);
    }
}

TEST(Memory, QuotesInNamesDoNoHarm) {
    Memory memory = some_memory();
    memory.revision = "\"},{\"open\":false,\n\\ \xc3\xa9";
    EXPECT_EQ(decode_memory(encode(memory)), memory);
}

TEST(Memory, WithoutAFieldThatMattersThereIsNone) {
    const std::string whole = encode(some_memory());
    ASSERT_TRUE(decode_memory(whole).has_value());
    for (const char* field : {"uid", "id", "revision", "partition", "open", "started"}) {
        std::string text = whole;
        text.replace(text.find(std::string{"\""} + field + "\"") + 1, 1, "_");
        EXPECT_EQ(decode_memory(text), std::nullopt) << text;
    }
}

TEST(Memory, ValuesThatCannotBeAreNone) {
    for (const char* text : {"", "null", "[]", "7", "{}", "{", "\"\""})
        EXPECT_EQ(decode_memory(text), std::nullopt) << text;
    const std::pair<const char*, const char*> wrong[] = {
        {R"("uid":"123e4567")", R"("uid":"")"},
        {R"("id":7)", R"("id":-1)"},
        {R"("id":7)", R"("id":1.5)"},
        {R"("id":7)", R"("id":9223372036854775807)"},
        {R"("partition":2)", R"("partition":-1)"},
        {R"("partition":2)", R"("partition":2147483648)"},
        {R"("open":true)", R"("open":"true")"},
        {R"("started":"2026-09-21T14:13:20Z")", R"("started":"yesterday")"},
    };
    for (const auto& [piece, other] : wrong) {
        std::string text = encode(some_memory());
        text.replace(text.find(piece), std::string{piece}.size(), other);
        EXPECT_EQ(decode_memory(text), std::nullopt) << text;
    }
}

TEST(Memory, GarbageIsNoMemoryAndNoHarm) {
    Dice dice{2};
    const std::string whole = encode(some_memory());
    for (std::size_t at = 0; at < whole.size(); ++at) {
        EXPECT_EQ(decode_memory(whole.substr(0, at)), std::nullopt);
        for (int round = 0; round < 20; ++round) {
            std::string broken = whole;
            broken[at] = static_cast<char>(dice.roll());
            static_cast<void>(decode_memory(broken));
        }
    }
    static_cast<void>(decode_memory(std::string(2000, '[')));
    EXPECT_EQ(decode_memory(std::string(1'000'000, ' ') + whole), std::nullopt);
}

TEST(Memory, FieldsOfALaterVersionAreIgnored) {
    std::string text = encode(some_memory());
    text.insert(1, R"("zone":{"a":[1,2]},)");
    EXPECT_EQ(decode_memory(text), some_memory());
}

}  // namespace
}  // namespace sluice::engine
