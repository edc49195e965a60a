#include <algorithm>

#include "base/printable.hpp"
#include "language/functions.hpp"
#include "language/infixes.hpp"
#include "language/refusal.hpp"
#include "language/tokens.hpp"
#include "language/types.hpp"

namespace sluice::language {

namespace {

constexpr int not_precedence = 50;
constexpr std::size_t arguments_max = 64;
constexpr int sign_precedence = 90;

// Words that are no names.
bool is_reserved(std::string_view word) {
    return word == "let" || word == "if" || word == "else";
}

class Parser {
  public:
    Parser(std::string_view text, std::size_t depth_max)
        : tokens_(tokens_of(text)), depth_max_(depth_max) {}

    Tree whole() {
        if (token().kind == Token::Kind::End) refuse(0, "there is no expression");
        tree_.root = sequence();
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

    [[noreturn]] void refuse_depth() const {
        refuse(token().at, "the expression is nested too deeply", ErrorKind::TooLarge);
    }

    NodeId add(decltype(Node::what) what, std::size_t at) {
        Node node{std::move(what), at};
        types_.push_back(type_of(node, types_, {}));
        tree_.nodes.push_back(std::move(node));
        return static_cast<NodeId>(tree_.nodes.size() - 1);
    }

    // Everything that binds at least as tightly as `precedence`.
    NodeId expression(int precedence) {
        if (depth_ >= depth_max_) refuse_depth();
        ++depth_;
        const NodeId out = precedence == 0 ? whole_expression() : operators(prefix(), precedence);
        --depth_;
        return out;
    }

    NodeId whole_expression() {
        if (skip("let")) return declaration();
        if (is("if")) return if_else();
        return conditional(operators(prefix(), 0));
    }

    // Expressions behind one another; the last one may end with a semicolon, too.
    NodeId sequence() {
        const std::size_t at = token().at;
        Sequence out;
        do {
            out.parts.push_back(expression(0));
        } while (skip(";") && token().kind != Token::Kind::End);
        return out.parts.size() == 1 ? out.parts[0] : add(std::move(out), at);
    }

    NodeId declaration() {
        const Token& name = token();
        const bool is_name = name.kind == Token::Kind::Word && !infix_of(name) &&
                             !is_reserved(name.spelled) && name.spelled != "not";
        if (!is_name) unexpected("a name");
        if (signature_of(name.spelled) || variable(name.spelled))
            refuse(name.at, quoted(name.spelled) + " has a meaning already");
        ++next_;
        expect("=");
        const NodeId value = expression(0);
        expect(";");
        tree_.declared.emplace(std::string(name.spelled), name.at);
        variables_.push_back({name.spelled, value});
        const NodeId body = sequence();
        variables_.pop_back();
        return add(Let{variables_.size(), value, body}, name.at);
    }

    std::optional<Variable> variable(std::string_view name) const {
        const auto found = std::ranges::find(variables_, name, &Declared::name);
        if (found == variables_.end()) return std::nullopt;
        return Variable{static_cast<std::size_t>(found - variables_.begin()), found->value};
    }

    NodeId if_else() {
        if (depth_ >= depth_max_) refuse_depth();
        ++depth_;
        const std::size_t at = token().at;
        expect("if");
        const NodeId condition = expression(0);
        const NodeId yes = block();
        expect("else");
        const NodeId no = is("if") ? if_else() : block();
        --depth_;
        return add(Conditional{condition, yes, no}, at);
    }

    NodeId block() {
        expect("{");
        const NodeId out = sequence();
        expect("}");
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
            if (infix->op == Operator::Pipe) {
                left = piped(left);
                after_coalesce = false;
                continue;
            }
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

    // `a | f(b)` is `f(a, b)`.
    NodeId piped(NodeId left) {
        expect("|");
        const Token& name = token();
        if (name.kind != Token::Kind::Word) unexpected("a function");
        ++next_;
        return call(name, left);
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
        if (skip("::")) {  // the function of this name
            const Token& name = token();
            if (name.kind != Token::Kind::Word) unexpected("a function");
            ++next_;
            return call(name);
        }
        if (!skip("(")) unexpected("a value");
        const NodeId inner = sequence();
        expect(")");
        return inner;
    }

    NodeId word() {
        const Token& at = token();
        if (infix_of(at)) unexpected("a value");
        if (is_reserved(at.spelled)) unexpected("a value");
        ++next_;
        if (at.spelled == "true" || at.spelled == "false")
            return add(Literal{at.spelled == "true"}, at.at);
        if (at.spelled == "nil") return add(Literal{Value{}}, at.at);
        if (is("(")) return call(at);
        if (const auto declared = variable(at.spelled)) return add(*declared, at.at);
        tree_.names.emplace(std::string(at.spelled), at.at);
        return add(Named{std::string(at.spelled)}, at.at);
    }

    NodeId item() {
        const std::size_t at = token().at;
        if (closures_.empty())
            refuse(at, quoted(token().spelled) + " means something in a closure only");
        if (!skip("#")) return add(Item{}, at);  // ".name" is "#.name"
        if (token().kind != Token::Kind::Word || token().at != at + 1) return add(Item{}, at);
        const Function function = closures_.back();
        const bool has_index = function == Function::Map || function == Function::Reduce;
        if (has_index && skip("index")) return add(Item{Item::Part::Index}, at);
        if (function == Function::Reduce && skip("acc"))
            return add(Item{Item::Part::Accumulated}, at);
        refuse(at, fmt::format("#{} has no meaning in {}", token().spelled, name_of(function)));
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

    NodeId call(const Token& name, std::optional<NodeId> piped = {}) {
        const Signature* signature = signature_of(name.spelled);
        if (!signature) refuse(name.at, quoted(name.spelled) + " is not a function that is known");
        expect("(");
        Call out{signature->function, {}};
        std::size_t place = 0;
        const auto parameter = [&] {
            const Parameter found = signature->parameter(place++);
            if (found == Parameter::None)
                refuse(token().at, fmt::format("{} takes fewer arguments", name.spelled));
            return found;
        };
        if (piped) {
            parameter();
            out.arguments.push_back(*piped);
        }
        while (!skip(")")) {
            if (parameter() == Parameter::Closure)
                out.closure = closure(signature->function);
            else
                out.arguments.push_back(expression(0));
            if (!is(")")) expect(",");
        }
        if (place < signature->least())
            refuse(name.at, fmt::format("{} needs more arguments", name.spelled));
        if (place > arguments_max)
            refuse(name.at,
                   fmt::format("{} takes {} arguments at most", name.spelled, arguments_max));
        return add(std::move(out), name.at);
    }

    NodeId closure(Function function) {
        closures_.push_back(function);
        const NodeId out = is("{") ? block() : expression(0);
        closures_.pop_back();
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
                if (is("(")) method(out.links.back());
            } else {
                break;
            }
        }
        if (out.links.empty()) return base;
        return add(std::move(out), is_item ? tree_[base].at : begin);
    }

    void method(Link& link) {
        if (!is_method(link.name))
            refuse(link.at, quoted(link.name) + " is not a method that is known");
        link.kind = Link::Kind::Method;
        expect("(");
        expect(")");
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
    std::vector<Function> closures_;  // around what is read, the innermost last
    struct Declared {
        std::string_view name;
        NodeId value;
    };
    std::vector<Declared> variables_;  // likewise
    Tree tree_;
    std::vector<Type> types_;  // of its nodes
};

}  // namespace

Tree tree_of(std::string_view text, std::size_t depth_max) {
    return Parser(text, depth_max).whole();
}

}  // namespace sluice::language
