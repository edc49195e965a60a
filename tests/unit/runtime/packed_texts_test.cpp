#include "runtime/packed_texts.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <random>
#include <vector>

namespace sluice::runtime {
namespace {

bool comes_back(const std::string& spec, const std::string& status) {
    const PackedTexts packed{spec, status};
    const auto [spec_again, status_again] = packed.unpacked();
    return spec_again == spec && status_again == status &&
           packed.bytes() == spec.size() + status.size();
}

TEST(PackedTexts, ComeBackAsTheyWereHoweverShortOrLong) {
    EXPECT_TRUE(comes_back("", ""));
    EXPECT_TRUE(comes_back("{}", ""));
    EXPECT_TRUE(comes_back("", "{}"));
    EXPECT_TRUE(comes_back(std::string("a\0b", 3), std::string(2, '\0')));
    EXPECT_TRUE(comes_back(std::string(3u << 20, 'x'), std::string(70'000, 'y')));
    EXPECT_TRUE(PackedTexts{}.unpacked().spec.empty());
}

TEST(PackedTexts, ComeBackAsTheyWereWhateverTheirBytes) {
    std::mt19937 dice{7};
    for (int i = 0; i < 300; ++i) {
        const unsigned letters = 1 + dice() % 256;  // few of them are packed well, many are not
        std::string texts[2];
        for (std::string& text : texts)
            for (unsigned length = dice() % 9000; length > 0; --length)
                text += static_cast<char>(dice() % letters);
        EXPECT_TRUE(comes_back(texts[0], texts[1])) << "the one of number " << i;
    }
}

TEST(PackedTexts, ComeBackAsTheyWereWherePackingSavesNothing) {
    for (const char* text : {"abcabc", "xxxxx", "abcdabcd", "0101"})
        EXPECT_TRUE(comes_back(text, "")) << text;
}

std::size_t bytes_in_use() {
    return ::mallinfo2().uordblks;
}

TEST(PackedTexts, TakeLessThanHalfOfTheMemoryOfUsualJson) {
    std::string spec;
    for (int i = 0; i < 20; ++i)
        spec += R"({"name":"container-)" + std::to_string(i) + R"(","image":"registry/app:v1"},)";
    std::vector<PackedTexts> all;
    all.reserve(100);
    const std::size_t before = bytes_in_use();
    for (int i = 0; i < 100; ++i)
        all.emplace_back(spec, "{}");
    EXPECT_LT(bytes_in_use() - before, 100 * spec.size() / 2);
}

TEST(PackedTexts, LeaveNoMemoryBehind) {
    const std::string text(1'000, 'x');
    ASSERT_TRUE(comes_back(text, text));
    const std::size_t before = bytes_in_use();
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(comes_back(text, text));
    EXPECT_LT(bytes_in_use(), before + 1'000);
}

}  // namespace
}  // namespace sluice::runtime
