// YAML as people write it into ConfigMaps, read strictly: what makes YAML dangerous or ambiguous is
// refused, which are anchors, aliases, tags, a second document and more than 64 KiB. Unlike a tree
// of nodes, a listener sees repeated keys. The first thing that is wrong is the answer, and nothing
// behind it is parsed.
#pragma once

#include <yaml-cpp/eventhandler.h>

#include <expected>
#include <string>

#include "base/field_error.hpp"

namespace sluice::api {

class StrictListener : public YAML::EventHandler {
  public:
    void OnDocumentStart(const YAML::Mark& mark) final;
    void OnDocumentEnd() final {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) final { scalar(nullptr); }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) final;
    void OnAnchor(const YAML::Mark& mark, const std::string& name) final;
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) final;
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) final;
    void OnSequenceEnd() final { close_list(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) final;
    void OnMapEnd() final { close_map(); }

  protected:
    // The value null is a null pointer.
    virtual void scalar(const std::string* text) = 0;
    virtual void open_list() = 0;
    virtual void close_list() = 0;
    virtual void open_map() = 0;
    virtual void close_map() = 0;
    // Where the parser is, as the field of an error.
    virtual std::string place() const { return {}; }
    [[noreturn]] void fault(std::string what) const;

  private:
    void refuse_tag(const std::string& tag) const;
    bool in_document_ = false;
};

std::expected<void, FieldError> read_strictly(const std::string& text, StrictListener& listener);

}  // namespace sluice::api
