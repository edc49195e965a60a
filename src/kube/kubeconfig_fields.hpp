// The fields of one mapping in a kubeconfig, read by name. What is absent or null reads as empty.
// What has the wrong type reads as empty too, and is remembered: after reading, `judged()` tells
// the first thing that was wrong, as a sentence. Values are never quoted in it.
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/redacted.hpp"
#include "base/result.hpp"

namespace sluice::kube {

class KubeconfigFields {
  public:
    // `where` leads here: "kubeconfig /x/y: users[name=a].user".
    KubeconfigFields(boost::json::value mapping, std::string where);

    bool has(std::string_view key) const;  // present and neither null nor empty
    std::string text(std::string_view key);
    Redacted secret(std::string_view key);
    Redacted base64(std::string_view key);
    bool flag(std::string_view key);
    std::vector<std::string> texts(std::string_view key);
    KubeconfigFields mapping(std::string_view key);
    std::vector<KubeconfigFields> mappings(std::string_view key);
    boost::json::value raw(std::string_view key) const;

    const std::string& where() const { return where_; }
    std::string where(std::string_view key) const;

    // Remembers that a field is wrong: `what` completes the sentence that starts with its path.
    void complain(std::string_view key, std::string_view what);
    Result<void> judged() const;

  private:
    KubeconfigFields(boost::json::value mapping, std::string where,
                     std::shared_ptr<std::optional<Error>> complaint);
    const boost::json::value* find(std::string_view key) const;
    const boost::json::array& list(std::string_view key);
    void complain_at(const std::string& where, std::string_view what);

    boost::json::object fields_;
    std::string where_;
    std::shared_ptr<std::optional<Error>> complaint_;  // one for a mapping and all below it
};

}  // namespace sluice::kube
