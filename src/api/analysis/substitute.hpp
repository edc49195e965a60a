// Puts arguments in the place of {{args.name}}, in one pass: what a value holds is never looked at
// again. Arguments that come from a Secret have no value here; they stay as they are written, and
// whoever asks the question fills them in. Refuses: a placeholder that is not closed or stands for
// nothing, a value that holds "{{", and texts that grow beyond their bound. A sentence repeats the
// names of arguments, never their values.
#pragma once

#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/analysis/template.hpp"
#include "base/result.hpp"

namespace sluice::api::analysis {

// All texts of an analysis together, once the arguments stand in them.
inline constexpr std::size_t substituted_bytes_max = 256u << 10;

// An argument whose value is in a Secret.
struct SecretArgument {
    std::string name;
    SecretKey from;
    friend bool operator==(const SecretArgument&, const SecretArgument&) = default;
};

// The names of the arguments in a text, each once, in order; an Error if a placeholder is wrong.
Result<std::vector<std::string>> arguments_in(std::string_view text);

// Those of the Secrets that these texts hold.
std::vector<SecretArgument> secrets_in(const std::vector<std::string_view>& texts,
                                       const std::vector<SecretArgument>& secrets);

// Every {{args.name}} becomes what `value_of` gives; nothing leaves it as it is.
using ValueOf = std::function<std::optional<std::string>(const std::string& name)>;
Result<std::string> substituted(std::string_view text, const ValueOf& value_of,
                                std::size_t bytes_max = substituted_bytes_max);

// The arguments of a run, all of them known or in a Secret.
class Arguments {
  public:
    // The errors name every argument that has no value.
    static std::expected<Arguments, FieldErrors> of(const std::vector<Argument>& args);

    // A text with all values but those of Secrets. An Error if there is no such argument.
    Result<std::string> put_into(std::string_view text) const;
    // The same for every text and key in a document, which together are bounded.
    Result<boost::json::value> put_into_all(const boost::json::value& json) const;

    const std::vector<SecretArgument>& secrets() const { return secrets_; }
    // Those of them that these texts hold.
    std::vector<SecretArgument> secrets_in(const std::vector<std::string_view>& texts) const;

  private:
    std::map<std::string, std::string, std::less<>> values_;
    std::vector<SecretArgument> secrets_;
};

// What a path such as metadata.name, metadata.annotations['a'], spec.x or status.x.y of an object
// stands for, as a text; an Error if there is nothing, or no single value.
Result<std::string> field_value(const model::CustomObject& object, std::string_view path);

}  // namespace sluice::api::analysis
