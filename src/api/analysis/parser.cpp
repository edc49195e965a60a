#include "api/analysis/parser.hpp"

#include <algorithm>
#include <array>

#include "api/analysis/refusal.hpp"
#include "api/analysis/tokens.hpp"
#include "api/inquiry/text.hpp"

namespace sluice::api::analysis {

namespace {

struct Infix {
    std::string_view spelled;
    Operator op;
    int precedence;
    bool to_the_right = false;  // a ** b ** c is a ** (b ** c)
};

constexpr std::array infixes{
    Infix{"or", Operator::Or, 10},
    Infix{"||", Operator::Or, 10},
    Infix{"and", Operator::And, 15},
    Infix{"&&", Operator::And, 15},
    Infix{"==", Operator::Equal, 20},
    Infix{"!=", Operator::Unequal, 20},
    Infix{"<", Operator::Less, 20},
    Infix{"<=", Operator::LessOrEqual, 20},
    Infix{">", Operator::Greater, 20},
    Infix{">=", Operator::GreaterOrEqual, 20},
    Infix{"in", Operator::In, 20},
    Infix{"matches", Operator::Matches, 20},
    Infix{"contains", Operator::Contains, 20},
    Infix{"startsWith", Operator::StartsWith, 20},
    Infix{"endsWith", Operator::EndsWith, 20},
    Infix{"..", Operator::Range, 25},
    Infix{"+", Operator::Add, 30},
    Infix{"-", Operator::Subtract, 30},
    Infix{"*", Operator::Multiply, 60},
    Infix{"/", Operator::Divide, 60},
    Infix{"%", Operator::Modulo, 60},
    Infix{"**", Operator::Power, 100, true},
    Infix{"^", Operator::Power, 100, true},
    Infix{"??", Operator::Coalesce, 500},
};
constexpr int not_precedence = 50;
constexpr int sign_precedence = 90;

bool is_unknown_word(std::string_view word) {
    return word == "let" || word == "if" || word == "else";
}

const Infix* infix_of(const Token& token) {
    if (token.kind != Token::Kind::Sign && token.kind != Token::Kind::Word) return nullptr;
    const auto found = std::ranges::find(infixes, token.spelled, &Infix::spelled);
    return found == infixes.end() ? nullptr : &*found;
}

bool can_be_denied(Operator op) {
    return op >= Operator::In && op <= Operator::EndsWith;
}

bool is_order(Operator op) {
    return op >= Operator::Less && op <= Operator::GreaterOrEqual;
}

class Parser {
  public:
    Parser(std::string_view text, std::size_t depth_max)
        : tokens_(tokens_of(text)), depth_max_(depth_max) {}

    Tree whole() {
        if (token().kind == Token::Kind::End) refuse(0, "there is no expression");
        tree_.root = expression(0);
        if (token().kind != Token::Kind::End) unexpected("the end, or an operator");
        return std::move(tree_);
    }

  private:
    const Token& token(std::size_t ahead = 0) const {
        return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
    }
    bool is(std::string_view spelled, std::size_t ahead = 0) const {
        const Token& at = token(ahead);
        return (at.kind == Token::Kind::Sign || at.kind == Token::Kind::Word) &&
               at.spelled == spelled;
    }
    bool skip(std::string_view spelled) {
        if (!is(spelled)) return false;
        ++next_;
        return true;
    }
    void expect(std::string_view spelled) {
        if (!skip(spelled)) unexpected(quoted(spelled));
    }
    [[noreturn]] void unexpected(std::string_view wanted) const {
        const Token& at = token();
        const std::string found = at.kind == Token::Kind::End ? "the end" : quoted(at.spelled);
        refuse(at.at, fmt::format("{} is expected, not {}", wanted, found));
    }

    NodeId add(decltype(Node::what) what, std::size_t at) {
        Node node{std::move(what), at, Type::Anything};
        node.type = type_of(tree_, node);
        tree_.nodes.push_back(std::move(node));
        return static_cast<NodeId>(tree_.nodes.size() - 1);
    }

    // Everything that binds at least as tightly as `precedence`.
    NodeId expression(int precedence) {
        if (depth_ >= depth_max_)
            refuse(token().at, "the expression is nested too deeply", ErrorKind::TooLarge);
        ++depth_;
        NodeId out = operators(prefix(), precedence);
        if (precedence == 0) out = conditional(out);
        --depth_;
        return out;
    }

    NodeId operators(NodeId left, int precedence) {
        bool after_coalesce = false;
        for (;;) {
            const bool is_denied = is("not");
            const Infix* infix = infix_of(token(is_denied ? 1 : 0));
            if (is_denied && (!infix || !can_be_denied(infix->op)))
                unexpected("the end, or an operator");
            if (!infix || infix->precedence < precedence) return left;
            const std::size_t at = token().at;
            if (after_coalesce && infix->op != Operator::Coalesce)
                refuse(at, "what belongs to ?? needs parentheses here");
            after_coalesce = infix->op == Operator::Coalesce;
            next_ += is_denied ? 2 : 1;
            if (is_order(infix->op)) {
                left = comparison(left, infix, at);
                continue;
            }
            const NodeId right = expression(infix->precedence + (infix->to_the_right ? 0 : 1));
            left = between(left, infix->op, right, is_denied, at);
        }
    }

    NodeId between(NodeId left, Operator op, NodeId right, bool denied, std::size_t at) {
        Binary binary{op, left, right, denied};
        const auto* literal = std::get_if<Literal>(&tree_[right].what);
        if (op == Operator::Matches && literal && literal->value.if_text()) {
            Result<Pattern> pattern = Pattern::compiled(*literal->value.if_text());
            if (!pattern)
                refuse(tree_[right].at, "the pattern " + pattern.error().message,
                       pattern.error().kind);
            tree_.patterns.push_back(*std::move(pattern));
            binary.pattern = tree_.patterns.size() - 1;
        }
        return add(binary, at);
    }

    // `1 < a <= 5` asks both of a.
    NodeId comparison(NodeId left, const Infix* infix, std::size_t at) {
        std::optional<NodeId> all;
        for (;;) {
            const NodeId right = expression(infix->precedence + 1);
            const NodeId one = add(Binary{infix->op, left, right}, at);
            all = all ? add(Binary{Operator::And, *all, one}, at) : one;
            infix = infix_of(token());
            if (!infix || !is_order(infix->op)) return *all;
            at = token().at;
            ++next_;
            left = right;
        }
    }

    NodeId conditional(NodeId condition) {
        const std::size_t at = token().at;
        if (!skip("?")) return condition;
        const NodeId yes = is(":") ? condition : expression(0);
        expect(":");
        const NodeId no = expression(0);
        return add(Conditional{condition, yes, no}, at);
    }

    NodeId prefix() {
        const std::size_t at = token().at;
        if (skip("not") || skip("!"))
            return add(Unary{Operator::Not, expression(not_precedence)}, at);
        if (skip("-")) return add(Unary{Operator::Negate, expression(sign_precedence)}, at);
        if (skip("+")) return add(Unary{Operator::Plus, expression(sign_precedence)}, at);
        return links(operand());
    }

    NodeId operand() {
        const Token& at = token();
        if (at.kind == Token::Kind::Number || at.kind == Token::Kind::Text) {
            ++next_;
            return add(Literal{at.value}, at.at);
        }
        if (at.kind == Token::Kind::Word) return word();
        if (is("[")) return list();
        if (is("{")) return map();
        if (is("#") || is(".")) return item();
        if (!skip("(")) unexpected("a value");
        const NodeId inner = expression(0);
        expect(")");
        return inner;
    }

    NodeId word() {
        const Token& at = token();
        if (infix_of(at)) unexpected("a value");
        if (is_unknown_word(at.spelled)) refuse(at.at, quoted(at.spelled) + " is not supported");
        ++next_;
        if (at.spelled == "true" || at.spelled == "false")
            return add(Literal{at.spelled == "true"}, at.at);
        if (at.spelled == "nil") return add(Literal{Value{}}, at.at);
        if (is("(")) return call(at);
        tree_.names.emplace(std::string(at.spelled), at.at);
        return add(Named{std::string(at.spelled)}, at.at);
    }

    NodeId item() {
        const std::size_t at = token().at;
        if (closures_ == 0)
            refuse(at, quoted(token().spelled) + " means something in a closure only");
        if (!skip("#")) return add(Item{}, at);  // ".name" is "#.name"
        if (token().kind != Token::Kind::Word || token().at != at + 1) return add(Item{}, at);
        if (!skip("index")) refuse(at, "after # only index is known");
        return add(Item{.index = true}, at);
    }

    NodeId list() {
        const std::size_t at = token().at;
        expect("[");
        ListOf out;
        while (!skip("]")) {
            out.items.push_back(expression(0));
            if (!is("]")) expect(",");
        }
        return add(std::move(out), at);
    }

    NodeId map() {
        const std::size_t at = token().at;
        expect("{");
        MapOf out;
        while (!skip("}")) {
            const NodeId key = map_key();
            expect(":");
            out.members.emplace_back(key, expression(0));
            if (!is("}")) expect(",");
        }
        return add(std::move(out), at);
    }

    NodeId map_key() {
        const Token& at = token();
        if (at.kind == Token::Kind::Text || at.kind == Token::Kind::Word ||
            at.kind == Token::Kind::Number) {
            ++next_;
            Value key = at.kind == Token::Kind::Text ? at.value : Value(std::string(at.spelled));
            return add(Literal{std::move(key)}, at.at);
        }
        if (!is("(")) unexpected("a key");
        return operand();
    }

    NodeId call(const Token& name) {
        const Signature* signature = signature_of(name.spelled);
        if (!signature) refuse(name.at, quoted(name.spelled) + " is not a function that is known");
        expect("(");
        Call out{signature->function, {}};
        while (!skip(")")) {
            if (out.closure || out.arguments.size() == signature->most)
                out.closure = closure(*signature, name, out.closure.has_value());
            else
                out.arguments.push_back(expression(0));
            if (!is(")")) expect(",");
        }
        const bool is_short = out.arguments.size() < signature->least ||
                              (signature->closure == Signature::Closure::Yes && !out.closure);
        if (is_short) refuse(name.at, fmt::format("{} needs more arguments", name.spelled));
        return add(std::move(out), name.at);
    }

    NodeId closure(const Signature& signature, const Token& name, bool has_one) {
        if (signature.closure == Signature::Closure::No || has_one)
            refuse(token().at, fmt::format("{} takes fewer arguments", name.spelled));
        ++closures_;
        const bool in_braces = skip("{");
        const NodeId out = expression(0);
        if (in_braces) expect("}");
        --closures_;
        return out;
    }

    NodeId links(NodeId base) {
        const bool is_item = std::holds_alternative<Item>(tree_[base].what);
        const std::size_t begin = token().at;
        Chain out{base, {}};
        for (;;) {
            const std::size_t at = token().at;
            const bool optional = skip("?.");
            if (is("[")) {
                out.links.push_back(bracket(optional));
            } else if (optional || skip(".")) {
                if (token().kind != Token::Kind::Word) unexpected("a name");
                out.links.push_back(
                    {Link::Kind::Member, at, optional, std::string(token().spelled)});
                ++next_;
                if (is("(")) refuse(at, "a value has no functions of its own");
            } else {
                break;
            }
        }
        if (out.links.empty()) return base;
        return add(std::move(out), is_item ? tree_[base].at : begin);
    }

    Link bracket(bool optional) {
        Link out{.kind = Link::Kind::Index, .at = token().at, .optional = optional};
        expect("[");
        if (!is(":")) out.from = expression(0);
        if (skip(":")) {
            out.kind = Link::Kind::Slice;
            if (!is("]")) out.to = expression(0);
        }
        expect("]");
        return out;
    }

    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    std::size_t depth_ = 0;
    std::size_t depth_max_;
    std::size_t closures_ = 0;
    Tree tree_;
};

}  // namespace

Tree tree_of(std::string_view text, std::size_t depth_max) {
    return Parser(text, depth_max).whole();
}

}  // namespace sluice::api::analysis
