#include "api/analysis/substitute.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "language/json_path.hpp"

namespace sluice::api::analysis {
namespace {

namespace json = boost::json;

constexpr std::string_view opening = "{{";
constexpr std::string_view closing = "}}";
constexpr std::string_view prefix = "args.";
constexpr std::size_t depth_max = 64;  // of a document, far more than people need

// A part of a text: as it stands, or the name of an argument.
struct Piece {
    std::string_view text;  // as it was written
    std::string name;       // empty: no argument
};

Result<std::vector<Piece>> pieces_of(std::string_view text) {
    std::vector<Piece> pieces;
    for (auto begin = text.find(opening); begin != std::string_view::npos;
         begin = text.find(opening)) {
        const auto end = text.find(closing, begin + opening.size());
        if (end == std::string_view::npos)
            return failure(ErrorKind::Invalid, "holds a \"{{\" that is not closed");
        const std::string_view inner =
            trimmed(text.substr(begin + opening.size(), end - begin - opening.size()));
        if (!inner.starts_with(prefix) || inner.size() == prefix.size())
            return failure(ErrorKind::Invalid,
                           "holds \"{{\" without an argument such as "
                           "{{args.name}}");
        if (begin > 0) pieces.push_back({text.substr(0, begin), ""});
        pieces.push_back({text.substr(begin, end + closing.size() - begin),
                          std::string{inner.substr(prefix.size())}});
        text.remove_prefix(end + closing.size());
    }
    if (!text.empty()) pieces.push_back({text, ""});
    return pieces;
}

// Walks over a document and puts values into its texts.
class Walk {
  public:
    explicit Walk(const Arguments& arguments) : arguments_(arguments) {}

    Result<json::value> over(const json::value& value, std::size_t depth = 0) {
        if (depth > depth_max) return failure(ErrorKind::TooLarge, "is nested too deeply");
        if (const json::array* items = value.if_array()) return over(*items, depth);
        if (const json::object* members = value.if_object()) return over(*members, depth);
        if (!value.is_string()) return value;
        auto text = put(value.get_string());
        if (!text) return std::unexpected(text.error());
        return json::value(*text);
    }

  private:
    Result<json::value> over(const json::array& items, std::size_t depth) {
        json::array out;
        for (const json::value& item : items) {
            auto one = over(item, depth + 1);
            if (!one) return one;
            out.push_back(std::move(*one));
        }
        return out;
    }
    Result<json::value> over(const json::object& members, std::size_t depth) {
        json::object out;
        for (const auto& [key, member] : members) {
            auto name = put(key);
            if (!name) return std::unexpected(name.error());
            auto one = over(member, depth + 1);
            if (!one) return one;
            out[*name] = std::move(*one);
        }
        return out;
    }
    Result<std::string> put(std::string_view text) {
        auto out = arguments_.put_into(text);
        if (!out) return out;
        bytes_ += out->size();
        if (bytes_ > substituted_bytes_max)
            return failure(ErrorKind::TooLarge, "becomes too long with its arguments");
        return out;
    }

    const Arguments& arguments_;
    std::size_t bytes_ = 0;
};

Result<std::string> no_such_field() {
    return failure(ErrorKind::NotFound, "names a field that has no single value");
}

}  // namespace

Result<std::vector<std::string>> arguments_in(std::string_view text) {
    const auto pieces = pieces_of(text);
    if (!pieces) return std::unexpected(pieces.error());
    std::vector<std::string> names;
    for (const Piece& piece : *pieces)
        if (!piece.name.empty() && std::ranges::find(names, piece.name) == names.end())
            names.push_back(piece.name);
    return names;
}

std::vector<SecretArgument> secrets_in(const std::vector<std::string_view>& texts,
                                       const std::vector<SecretArgument>& secrets) {
    std::vector<SecretArgument> found;
    for (const SecretArgument& secret : secrets) {
        const bool is_used = std::ranges::any_of(texts, [&](std::string_view text) {
            const auto names = arguments_in(text);
            return names && std::ranges::find(*names, secret.name) != names->end();
        });
        if (is_used) found.push_back(secret);
    }
    return found;
}

Result<std::string> substituted(std::string_view text, const ValueOf& value_of,
                                std::size_t bytes_max) {
    const auto pieces = pieces_of(text);
    if (!pieces) return std::unexpected(pieces.error());
    std::string out;
    for (const Piece& piece : *pieces) {
        const auto value = piece.name.empty() ? std::nullopt : value_of(piece.name);
        out += value ? std::string_view{*value} : piece.text;
        if (out.size() > bytes_max)
            return failure(ErrorKind::TooLarge, "becomes too long with its arguments");
    }
    return out;
}

std::expected<Arguments, FieldErrors> Arguments::of(const std::vector<Argument>& args) {
    Arguments arguments;
    FieldErrors errors;
    for (const Argument& one : args) {
        const auto wrong = [&](const char* what) {
            errors.push_back({"args." + printable(one.name, 64), what});
        };
        if (const auto* secret = std::get_if<SecretKey>(&one.value))
            arguments.secrets_.push_back({one.name, *secret});
        else if (const auto* text = std::get_if<std::string>(&one.value); !text)
            wrong("has no value");
        else if (holds_argument(*text))
            wrong("has a value that holds \"{{\", and values are not resolved again");
        else
            arguments.values_.emplace(one.name, *text);
    }
    if (!errors.empty()) return std::unexpected(std::move(errors));
    return arguments;
}

Result<std::string> Arguments::put_into(std::string_view text) const {
    const auto names = arguments_in(text);
    if (!names) return std::unexpected(names.error());
    for (const std::string& name : *names) {
        const bool is_secret =
            std::ranges::find(secrets_, name, &SecretArgument::name) != secrets_.end();
        if (!is_secret && !values_.contains(name))
            return failure(ErrorKind::Invalid,
                           "holds the argument " + quoted(name) + ", which is not among args");
    }
    return substituted(text, [this](const std::string& name) -> std::optional<std::string> {
        const auto found = values_.find(name);
        return found == values_.end() ? std::nullopt : std::optional{found->second};
    });
}

Result<json::value> Arguments::put_into_all(const json::value& json) const {
    return Walk(*this).over(json);
}

std::vector<SecretArgument> Arguments::secrets_in(
    const std::vector<std::string_view>& texts) const {
    return analysis::secrets_in(texts, secrets_);
}

Result<std::string> field_value(const model::CustomObject& object, std::string_view path) {
    const auto texts = [](const model::Texts& from) {
        json::object to;
        for (const auto& [name, text] : from)
            to[name] = text;
        return to;
    };
    boost::system::error_code broken;
    const auto part = [&](const std::string& text) {
        json::value value = text.empty() ? json::object{} : json::parse(text, broken);
        return broken ? json::value(json::object{}) : value;
    };
    const json::value whole =
        json::object{{"metadata", json::object{{"name", object.meta.key.name},
                                               {"namespace", object.meta.key.ns},
                                               {"uid", object.meta.uid},
                                               {"labels", texts(object.labels)},
                                               {"annotations", texts(object.annotations)}}},
                     {"spec", part(object.spec)},
                     {"status", part(object.status)}};
    const auto parsed = language::JsonPath::parsed("{." + std::string{path} + "}");
    if (!parsed) return failure(ErrorKind::Invalid, "is not the path of a field");
    const auto several = parsed->found(whole);
    if (!several || several->size() != 1) return no_such_field();
    const auto found = language::to_value(*several->front());
    if (!found || found->if_array() || found->if_map() || found->is_nil()) return no_such_field();
    if (const std::string* text = found->if_text()) return *text;
    return to_text(*found);
}

}  // namespace sluice::api::analysis
