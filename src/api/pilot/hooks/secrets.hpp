// Reading a Secret that a hook was given. Every refusal names the Secret and the key, never what
// the key holds.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/pilot/hooks/hook.hpp"

namespace sluice::api::pilot {

inline const std::string ca_key = "ca.crt";

// Refers to the Learnt it was made from.
class SecretReader {
  public:
    SecretReader(std::string full_name, const SecretData& data)
        : full_name_(std::move(full_name)), data_(data) {}

    bool has(const std::string& key) const { return data_.contains(key); }
    const SecretData& data() const { return data_; }
    // The value of a key that must be there and not empty, without a trailing newline.
    Result<std::string_view> text(const std::string& key) const;
    // The same, where it is also fit to be sent as the value of a header.
    Result<std::string_view> header_value(const std::string& key) const;
    // "Secret ns/name: <what>".
    std::unexpected<Error> wrong(const std::string& what) const;

  private:
    std::string full_name_;
    const SecretData& data_;
};

// The Secret of this name in the StatefulSet's namespace; instead of it, the step that must come
// first: to fetch it, or to refuse because it could not be fetched.
std::expected<SecretReader, HookStep> read_secret(const Transition& transition,
                                                  const Learnt& learnt, const std::string& name);

}  // namespace sluice::api::pilot
