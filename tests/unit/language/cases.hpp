// Values in short: a document in JSON, and what comes of an expression as JSON or as a sentence.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "language/expression.hpp"

namespace sluice::language {

inline Value json_value(std::string_view text) {
    return to_value(boost::json::parse(text)).value();
}

// The outcome as JSON, or "! " and the sentence that refuses it.
inline constexpr Instant test_now{1'700'000'000'000};  // 2023-11-14T22:13:20Z

inline std::string outcome(std::string_view text, const Values& values) {
    const Result<Expression> expression = parse(text);
    if (!expression) return "! " + expression.error().message;
    const Result<Value> value = evaluate(*expression, values, test_now);
    return value ? to_text(*value) : "! " + value.error().message;
}

inline std::string outcome(std::string_view text, std::string_view result = "null") {
    return outcome(text, {{"result", json_value(result)}});
}

struct Case {
    std::string text;
    std::string outcome;
    std::string result = "null";
};

inline void expect_all(const std::vector<Case>& cases) {
    for (const Case& one : cases)
        EXPECT_EQ(outcome(one.text, one.result), one.outcome) << one.text << " of " << one.result;
}

// The outcome begins with the position.
inline void expect_refused(const std::vector<Case>& cases) {
    for (const Case& one : cases)
        EXPECT_THAT(outcome(one.text, one.result),
                    ::testing::StartsWith("! at position " + one.outcome))
            << one.text << " of " << one.result;
}

}  // namespace sluice::language
