#include "base/keyed_hash.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// The bytes 0, 1, 2, ...
std::string counted(int count) {
    std::string bytes;
    for (int i = 0; i < count; ++i)
        bytes.push_back(static_cast<char>(i));
    return bytes;
}

struct Vector {
    int length;
    const char* digest;
};

// As `openssl mac -macopt size:16 SipHash` has them.
constexpr Vector vectors[] = {
    {0, "a3817f04ba25a8e66df67214c7550293"},
    {1, "da87c1d86b99af44347659119b22fc45"},
    {2, "8177228da4a45dc7fca38bdef60affe4"},
    {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
};

TEST(KeyedHash, IsThatOfItsAuthors) {
    for (const auto& [length, digest] : vectors)
        EXPECT_EQ(to_text(keyed_hash(*hash_key(counted(16)), counted(length))), digest) << length;
}

TEST(KeyedHash, IsAnotherOneUnderAnotherKey) {
    EXPECT_NE(keyed_hash(HashKey{}, "x"), keyed_hash(*hash_key(counted(16)), "x"));
}

TEST(KeyedHash, AKeyHasAsManyBytesAsItMust) {
    for (const int length : {0, 15, 17, 32})
        EXPECT_FALSE(hash_key(counted(length))) << length;
}

}  // namespace
}  // namespace sluice
