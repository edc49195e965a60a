// What conditions are about: a value as JSON has it, where an integer of 64 bits stays exact, or a
// time or a duration that an expression has made.
// Values never change, so copies share what they hold and cost nothing. They are not nested deeper
// than Value::depth_max: from JSON a deeper one is an Error; whoever makes one from parts asks
// fits_in_value() first.
#pragma once

#include <boost/json/fwd.hpp>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "language/go_time.hpp"

namespace sluice::language {

class Value {
  public:
    using Array = std::vector<Value>;
    using Map = std::map<std::string, Value, std::less<>>;
    enum class Kind { Nil, Bool, Integer, Float, Text, Array, Map, Time, Duration };

    // What takes a value apart may call itself this often.
    static constexpr std::size_t depth_max = 256;

    Value() = default;  // nil
    template <std::same_as<bool> Bool>
    Value(Bool value) : held_(value) {}
    template <std::signed_integral Integer>
    Value(Integer value) : held_(std::int64_t{value}) {}
    Value(double value) : held_(value) {}
    Value(std::string text);
    Value(const char* text) : Value(std::string(text)) {}
    Value(Array items);
    Value(Map members);
    Value(GoTime time) : held_(time) {}
    Value(std::chrono::nanoseconds duration) : held_(duration) {}

    Kind kind() const { return static_cast<Kind>(held_.index()); }
    bool is_nil() const { return kind() == Kind::Nil; }
    bool is_number() const { return kind() == Kind::Integer || kind() == Kind::Float; }

    // Nothing, or null, if the value is of another kind.
    const bool* if_bool() const { return std::get_if<bool>(&held_); }
    const std::int64_t* if_integer() const { return std::get_if<std::int64_t>(&held_); }
    const double* if_float() const { return std::get_if<double>(&held_); }
    const std::string* if_text() const;
    const Array* if_array() const;
    const Map* if_map() const;
    const GoTime* if_time() const { return std::get_if<GoTime>(&held_); }
    const std::chrono::nanoseconds* if_duration() const {
        return std::get_if<std::chrono::nanoseconds>(&held_);
    }
    std::optional<double> number() const;

    // 0 of what holds nothing, otherwise one more than its deepest item.
    std::size_t depth() const;

  private:
    template <class Of>
    struct Items {
        Of of;
        std::size_t depth;
    };
    template <class Of>
    using Shared = std::shared_ptr<const Of>;

    std::variant<std::monostate, bool, std::int64_t, double, Shared<std::string>,
                 Shared<Items<Array>>, Shared<Items<Map>>, GoTime, std::chrono::nanoseconds>
        held_;
};

// Whether what holds these is no deeper than a value may be.
bool fits_in_value(const Value::Array& items);
bool fits_in_value(const Value::Map& members);

// "a number", "an array": what a sentence calls the value.
std::string_view noun_of(const Value& value);

// Bytes of text, and one for each value; counts no further than just above `most`. What is shared
// counts each time, because whoever writes the value down writes it each time.
std::size_t weight(const Value& value, std::size_t most);
// What expressions and paths make is not heavier.
inline constexpr std::size_t value_weight_max = 1u << 20;

// JSON on one line; numbers that JSON does not have are NaN, +Inf and -Inf.
std::string to_text(const Value& value);

// From JSON that was parsed. A number beyond 64 bits is the nearest double.
inline constexpr std::size_t json_depth_max = 64;  // of people's documents, far more than they need
Result<Value> to_value(const boost::json::value& json);

}  // namespace sluice::language
