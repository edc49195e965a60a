// JSON paths as Kubernetes has them: "{$.data.items[0].value}", "{.a['b.c']}", "{.list[-1]}",
// "{.list[0:2]}", "{.list[*].x}", "{..name}", "{.list[?(@.type==\"Ready\")].status}". The braces
// may be left out, as in the columns of a CustomResourceDefinition.
//
// Promises: any text and any document can be given; both functions end within their bounds. As in
// client-go, a name that none of the values has is an Error, as is an index beyond the end and a
// comparison of values that are not of one kind; a null has no members and no items, and is passed
// over. Otherwise than there, "['a.b']" is the one key "a.b". Templates ("{range}", several pairs
// of braces, text between them) are refused.
#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "language/value.hpp"

namespace sluice::language {

inline constexpr std::size_t path_bytes_max = 8u << 10;
inline constexpr std::size_t path_visits_max = 100'000;  // values that are looked at

struct PathMember {
    std::string name;
};
// "[1]", "[0:2]", "[::2]", "[*]".
struct PathSlice {
    std::optional<std::int64_t> from{};
    std::optional<std::int64_t> to{};
    std::optional<std::int64_t> step{};
    bool is_index = false;
};
struct PathChoice {  // "['a','b']", "[0,2]"; mostly there is one
    std::vector<std::variant<PathMember, PathSlice>> picks;
};
struct PathWildcard {};  // ".*"
struct PathDescent {};   // "..": the value and everything in it that holds something
using PathMove = std::variant<PathMember, PathChoice, PathWildcard, PathDescent>;
// "[?(@.a==1)]"; there is no filter in a filter.
struct PathFilter {
    enum class Test { Exists, Equal, Unequal, Less, LessOrEqual, Greater, GreaterOrEqual };
    std::vector<PathMove> left;  // from the item that is tested
    Test test = Test::Exists;
    std::variant<boost::json::value, std::vector<PathMove>> right{};
};
using PathStep = std::variant<PathMember, PathChoice, PathWildcard, PathDescent, PathFilter>;
using PathSteps = std::vector<PathStep>;

class JsonPath {
  public:
    // The Error completes the sentence `<field>: ...`; positions count bytes from 1.
    static Result<JsonPath> parsed(std::string_view text);

    // Whether names that are not there are an Error, or find nothing.
    enum class Missing { Error, Nothing };
    // What the path finds, in the order of the document.
    Result<std::vector<const boost::json::value*>> found(const boost::json::value& in,
                                                         Missing missing = Missing::Error) const;

    // The member that the path begins with, and the path from there; nothing if it begins
    // otherwise.
    struct Begin;
    std::optional<Begin> begin() const;

  private:
    explicit JsonPath(PathSteps steps) : steps_(std::move(steps)) {}
    PathSteps steps_;
};

struct JsonPath::Begin {
    std::string name;
    JsonPath rest;
};

// Of several results the first, as in the original; none is an Error.
Result<Value> value_at(const JsonPath& path, const boost::json::value& in);

}  // namespace sluice::language
