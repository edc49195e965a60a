// RFC 6902 as the API server applies it, with its three liberties: an index below zero counts from
// the end, `replace` of a member that is not there adds it, and `test` takes a member that is not
// there for null.
#include <charconv>
#include <vector>

#include "sim/api/list_order.hpp"
#include "sim/api/refusals.hpp"

namespace sluice::sim {
namespace {

// The bounds of the API server: a patch of a few bytes can double a document with every `copy`.
constexpr std::size_t operations_max = 10'000;
constexpr std::size_t copied_max = std::size_t{3} << 20;

struct Operation {
    std::string op;
    std::optional<std::string> path;
    std::optional<std::string> from;
    const json::value* value = nullptr;
};

using Done = std::expected<void, PatchRefused>;

std::expected<Operation, PatchRefused> to_operation(const json::value& entry) {
    Operation operation;
    if (entry.is_null()) return operation;
    const json::object* object = entry.if_object();
    if (!object) return cannot_unmarshal(entry, "value of type handlers.jsonPatchOp");
    for (const auto& [key, value] : *object) {
        if (key == "value") operation.value = &value;
        if ((key != "op" && key != "path" && key != "from") || value.is_null()) continue;
        if (!value.is_string())
            return cannot_unmarshal(
                value, "struct field jsonPatchOp." + std::string{key} + " of type string");
        std::string text{value.get_string()};
        if (key == "op")
            operation.op = std::move(text);
        else
            (key == "path" ? operation.path : operation.from) = std::move(text);
    }
    return operation;
}

// The place in an array that a token names, counted from the end if it is below zero.
std::optional<std::size_t> index_of(std::string_view token, std::size_t size) {
    if (token.starts_with('+')) token.remove_prefix(1);
    std::int64_t index = 0;
    const auto [end, failed] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (failed != std::errc{} || end != token.data() + token.size()) return {};
    if (index < 0) index += static_cast<std::int64_t>(size);
    if (index < 0 || index >= static_cast<std::int64_t>(size)) return {};
    return static_cast<std::size_t>(index);
}

class Patching {
  public:
    explicit Patching(const json::object& document) : root_(document) {}

    Done apply(const Operation& operation) {
        if (operation.op == "add") return add(operation.path, value_of(operation));
        if (operation.op == "remove") return remove(operation.path);
        if (operation.op == "replace") return replace(operation);
        if (operation.op == "move") return move(operation);
        if (operation.op == "copy") return copy(operation);
        if (operation.op == "test") return test(operation);
        return unprocessable();
    }

    Patched result() && {
        if (!root_.is_object()) return unprocessable();
        return std::move(root_.get_object());
    }

  private:
    // An object or array, the token that names something in it, and what that is.
    struct Spot {
        json::value* in = nullptr;
        std::string key = {};
        int depth = 0;
        bool is_known = false;         // the token can stand in this place
        json::value* value = nullptr;  // null if there is nothing
    };

    static json::value value_of(const Operation& operation) {
        return operation.value ? *operation.value : json::value{};
    }

    static void find_value(Spot& at) {
        json::array* array = at.in->if_array();
        const auto index = array ? index_of(at.key, array->size()) : std::nullopt;
        at.is_known = index || at.in->is_object();
        at.value = index                ? &(*array)[*index]
                   : at.in->is_object() ? at.in->get_object().if_contains(at.key)
                                        : nullptr;
    }

    Spot spot(const std::optional<std::string>& path) {
        if (!path || path->find('/') == std::string::npos) return {};
        Spot at{.value = &root_};
        std::string_view rest{*path};
        for (std::size_t end = rest.find('/'); end != rest.npos; end = rest.find('/')) {
            rest.remove_prefix(end + 1);
            at.in = at.value;
            if (!at.in) return {};
            at.key = unescaped(rest.substr(0, rest.find('/')));
            ++at.depth;
            find_value(at);
        }
        return at.in->is_structured() ? at : Spot{};
    }

    Done add(const std::optional<std::string>& path, json::value value) {
        const Spot at = spot(path);
        if (!at.in) return unprocessable();
        if (is_deeper(value, depth_max - at.depth)) return bad_patch("exceeded max depth");
        if (json::object* object = at.in->if_object()) {
            (*object)[at.key] = std::move(value);
            return {};
        }
        json::array& array = at.in->get_array();
        const auto index = at.key == "-" ? array.size() : index_of(at.key, array.size() + 1);
        if (!index) return unprocessable();
        array.insert(array.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
        return {};
    }

    Done remove(const std::optional<std::string>& path) {
        const Spot at = spot(path);
        if (!at.value) return unprocessable();
        if (json::object* object = at.in->if_object())
            erase_member(*object, at.key);
        else
            at.in->get_array().erase(at.value);
        return {};
    }

    Done replace(const Operation& operation) {
        json::value value = value_of(operation);
        if (operation.path && operation.path->empty()) {
            if (is_deeper(value, depth_max)) return bad_patch("exceeded max depth");
            root_ = std::move(value);
            return {};
        }
        const Spot at = spot(operation.path);
        if (!at.is_known) return unprocessable();
        if (at.in->is_object()) return add(operation.path, std::move(value));
        if (is_deeper(value, depth_max - at.depth)) return bad_patch("exceeded max depth");
        *at.value = std::move(value);
        return {};
    }

    Done move(const Operation& operation) {
        const Spot at = spot(operation.from);
        if (!at.value) return unprocessable();
        json::value moved = std::move(*at.value);
        if (const Done gone = remove(operation.from); !gone) return gone;
        return add(operation.path, std::move(moved));
    }

    Done copy(const Operation& operation) {
        const Spot at = spot(operation.from);
        if (!at.is_known) return unprocessable();
        json::value copied = at.value ? *at.value : json::value{};
        copied_ += json::serialize(copied).size();
        if (copied_ > copied_max) return unprocessable();
        return add(operation.path, std::move(copied));
    }

    Done test(const Operation& operation) {
        const json::value wanted = value_of(operation);
        if (operation.path && operation.path->empty())
            return same(root_, wanted) ? Done{} : unprocessable();
        const Spot at = spot(operation.path);
        if (!at.is_known) return unprocessable();
        const bool is_same = at.value ? same(*at.value, wanted) : wanted.is_null();
        return is_same ? Done{} : unprocessable();
    }

    json::value root_;
    std::size_t copied_ = 0;
};

}  // namespace

Patched json_patch(const json::object& document, const json::value& patch) {
    if (auto refused = too_deep(document, patch)) return std::unexpected{*refused};
    if (patch.is_null()) return document;
    const json::array* entries = patch.if_array();
    if (!entries) return cannot_unmarshal(patch, "value of type []handlers.jsonPatchOp");
    std::vector<Operation> operations;
    for (const json::value& entry : *entries) {
        auto operation = to_operation(entry);
        if (!operation) return std::unexpected{operation.error()};
        operations.push_back(std::move(*operation));
    }
    if (operations.size() > operations_max)
        return std::unexpected{
            PatchRefused{413, "RequestEntityTooLarge",
                         "The allowed maximum operations in a JSON patch is 10000, got " +
                             std::to_string(operations.size())}};
    Patching patching{document};
    for (const Operation& operation : operations)
        if (const Done done = patching.apply(operation); !done)
            return std::unexpected{done.error()};
    return std::move(patching).result();
}

}  // namespace sluice::sim
