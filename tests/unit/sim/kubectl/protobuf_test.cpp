#include "sim/kubectl/protobuf.hpp"

#include <gmock/gmock.h>

namespace sluice::sim {
namespace {

using ::testing::HasSubstr;

std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7)
        bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
}

std::string bytes_field(unsigned number, const std::string& bytes) {
    return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string number_field(unsigned number, std::uint64_t value) {
    return varint(number << 3) + varint(value);
}

std::string entry(const std::string& key, const std::string& value) {
    return bytes_field(1, key) + bytes_field(2, value);
}

std::string body(const std::string& version, const std::string& kind, const std::string& raw) {
    return std::string("k8s\0", 4) + bytes_field(1, entry(version, kind)) + bytes_field(2, raw);
}

std::string read(const std::string& bytes) {
    const auto object = from_protobuf(bytes);
    return object ? json::serialize(*object) : "unreadable: " + object.error();
}

// As client-go writes it: fields without a value are there too.
const std::string meta = bytes_field(1, "c") + bytes_field(2, "") + bytes_field(3, "default") +
                         bytes_field(8, "") + bytes_field(11, entry("app", "web"));

TEST(Protobuf, becomes_the_object_that_json_would_have) {
    EXPECT_EQ(read(body("v1", "ConfigMap",
                        bytes_field(1, meta) + bytes_field(2, entry("a", "b")) +
                            bytes_field(2, entry("c", "")) + bytes_field(3, entry("d", "\xff")))),
              R"({"metadata":{"name":"c","namespace":"default","labels":{"app":"web"}},)"
              R"("data":{"a":"b","c":""},"binaryData":{"d":"/w=="},)"
              R"("apiVersion":"v1","kind":"ConfigMap"})");
}

TEST(Protobuf, has_lists_numbers_and_what_is_either_number_or_text) {
    const std::string container = bytes_field(1, "app") + bytes_field(2, "app:a") +
                                  bytes_field(3, "run") + bytes_field(3, "fast") +
                                  bytes_field(8, bytes_field(2, entry("cpu", bytes_field(1, "2"))));
    const std::string spec =
        number_field(1, 0) + number_field(5, 0) +
        bytes_field(3, bytes_field(2, bytes_field(2, container))) +
        bytes_field(4, bytes_field(2, bytes_field(1, number_field(1, 1) + bytes_field(3, "25%")) +
                                          bytes_field(2, number_field(2, 3))));
    EXPECT_EQ(
        read(body("apps/v1", "Deployment", bytes_field(2, spec) + bytes_field(3, "x"))),
        R"({"spec":{"replicas":0,"template":{"spec":{"containers":[{"name":"app",)"
        R"("image":"app:a","command":["run","fast"],"resources":{"requests":{"cpu":"2"}}}]}},)"
        R"("strategy":{"rollingUpdate":{"maxUnavailable":"25%","maxSurge":3}}},)"
        R"("apiVersion":"apps/v1","kind":"Deployment"})");
}

TEST(Protobuf, drops_no_field_that_is_set) {
    EXPECT_THAT(read(body("v1", "Pod", bytes_field(2, bytes_field(18, "affinity")))),
                HasSubstr("field 18 of PodSpec is not among those"));
    EXPECT_THAT(read(body("v1", "Pod", bytes_field(2, bytes_field(18, "")))), HasSubstr("\"Pod\""));
    EXPECT_EQ(read(body("v1", "Martian", "")),
              "unreadable: Martian is not among the kinds that are read as protobuf");
}

TEST(Protobuf, is_refused_when_it_is_broken) {
    const std::string whole = body("v1", "ConfigMap", bytes_field(1, meta));
    EXPECT_EQ(read("{}"), "unreadable: this is not Kubernetes' protobuf");
    EXPECT_EQ(read(body("v1", "ConfigMap", "\x0a\x7f")), "unreadable: the protobuf is cut short");
    EXPECT_EQ(read(body("v1", "ConfigMap", "\x0d")), "unreadable: the protobuf is cut short");
    for (std::size_t size = 0; size < whole.size(); ++size)
        from_protobuf(std::string_view{whole}.substr(0, size));
}

}  // namespace
}  // namespace sluice::sim
