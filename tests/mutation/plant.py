"""plant.py SOURCE COPY FIRST: writes a copy of a C++ source in which every place that can be
changed asks at run time whether it is (switch.hpp), and COPY.json, the table of those changes.

Planted, in the bodies of functions:
  branch    a condition of if or ?: that is always, or never, true; a loop that is not entered
  logic     && for ||, a ! that is missing, true for false
  relation  < for <=, > for >=, == for !=
  sum       + for -, * and / for others
  bound     an integer, a duration or a named constant that is one (or a second) more
  drop      an assignment or a call whose result nobody wants that does not happen

Left alone: what a compiler needs to know (constexpr, static, templates' arguments, case labels),
what a macro expands to (assertions among it), and the places of LEFT_ALONE. Without a chosen
mutant the copy does what the source does.
"""

from __future__ import annotations

import bisect
import json
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

from clang import cindex
from clang.cindex import Cursor, CursorKind as Kind

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++23", f"-I{ROOT / 'src'}", f"-I{ROOT}"]

# Calls that change no behaviour: whatever stands in them is left alone.
LEFT_ALONE = {
    "reserve": "memory that would be taken later otherwise",
    "shrink_to_fit": "memory that would be given back later otherwise",
    "log": "words for people; nothing rests on them",
}

RELATIONS = {"<": ("less", "<="), "<=": ("less_equal", "<"),
             ">": ("greater", ">="), ">=": ("greater_equal", ">")}
SUMS = {"+": ("plus", "-"), "-": ("minus", "+"), "*": ("times", "+"), "/": ("divided", "*")}
FUNCTIONS = {Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.DESTRUCTOR,
             Kind.CONVERSION_FUNCTION, Kind.FUNCTION_TEMPLATE}
STATEMENTS = {Kind.COMPOUND_STMT, Kind.CASE_STMT, Kind.DEFAULT_STMT, Kind.CXX_FOR_RANGE_STMT}
SCOPES = {Kind.NAMESPACE, Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.LINKAGE_SPEC}
NUMBERS = {"INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "DOUBLE", "FLOAT"}
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class Wrap(NamedTuple):
    """Text around a place, and perhaps instead of the operator in it."""
    start: int
    end: int
    before: str
    after: str
    operator: tuple[int, int] | None = None


class Mutant(NamedTuple):
    line: int
    kind: str
    original: str
    instead: str


def is_constant(declaration: str) -> bool:
    return re.match(r"(\[\[\w+\]\]\s*)?((inline|static|friend|explicit)\s+)*(constexpr|consteval|"
                    r"constinit|static)\b", declaration) is not None


def is_number(of: cindex.Type) -> bool:
    return of.get_canonical().kind.name in NUMBERS


def is_duration(of: cindex.Type) -> bool:
    return "chrono::duration<" in of.get_canonical().spelling


def is_string(of: cindex.Type) -> bool:
    return "basic_string" in of.get_canonical().spelling


def is_left_alone(node: Cursor) -> bool:
    """Such a call, or the same with the end of its temporaries around it."""
    if node.kind == Kind.UNEXPOSED_EXPR:
        children = list(node.get_children())
        return len(children) == 1 and is_left_alone(children[0])
    return node.kind == Kind.CALL_EXPR and node.spelling in LEFT_ALONE


class Planter:
    def __init__(self, path: Path, first: int) -> None:
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = cindex.Index.create().parse(str(path), args=FLAGS, options=options)
        wrong = [str(one) for one in self.unit.diagnostics if one.severity >= 3]
        if wrong:
            raise SystemExit("\n".join(wrong))
        self.path, self.next = path, first
        self.text = path.read_bytes().decode("latin-1")  # one character, one byte
        self.starts = [0] + [at.end() for at in re.finditer("\n", self.text)]
        self.macros = [self.span(one) for one in self.unit.cursor.get_children()
                       if one.kind == Kind.MACRO_INSTANTIATION and self.is_here(one)]
        self.wraps: list[Wrap] = []
        self.mutants: dict[int, Mutant] = {}
        self.seen: set[tuple[str, int, int]] = set()

    # Places.

    def is_here(self, node: Cursor) -> bool:
        return node.location.file is not None and node.location.file.name == str(self.path)

    @staticmethod
    def span(node: Cursor) -> tuple[int, int]:
        return node.extent.start.offset, node.extent.end.offset

    def words(self, start: int, end: int) -> str:
        return self.text[start:end]

    def is_written_here(self, node: Cursor) -> bool:
        start, end = self.span(node)
        return self.is_here(node) and start < end and not any(
            begin <= start < finish or begin < end <= finish for begin, finish in self.macros)

    def closing(self, opening: int) -> int:
        """Where the bracket that opens here is closed; text and comments are jumped over."""
        depth = 0
        for found in re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//[^\n]*|[()]').finditer(
                self.text, opening):
            depth += {"(": 1, ")": -1}.get(found.group(0), 0)
            if depth == 0:
                return found.start()
        raise SystemExit(f"{self.path}: a bracket that is never closed")

    # Planting.

    def mutant(self, kind: str, start: int, end: int, instead: str, original: str = "") -> int:
        number = self.next
        self.next += 1
        line = bisect.bisect_right(self.starts, start)
        shown = " ".join((original or self.words(start, end)).split())
        self.mutants[number] = Mutant(line, kind, shown, " ".join(instead.split()))
        return number

    def is_new(self, what: str, start: int, end: int) -> bool:
        key = (what, start, end)
        known = key in self.seen
        self.seen.add(key)
        return not known

    def call(self, name: str, number: int, start: int, end: int) -> None:
        before = f"::sluice::mutation::{name}({number}, static_cast<bool>("
        self.wraps.append(Wrap(start, end, before, "))"))

    def branch(self, start: int, end: int) -> None:
        if self.is_new("branch", start, end):
            number = self.mutant("branch", start, end, "true")
            self.mutant("branch", start, end, "false")
            self.call("branch", number, start, end)

    def loop(self, start: int, end: int) -> None:
        if self.is_new("branch", start, end) and self.words(start, end) != "true":
            self.call("loop", self.mutant("branch", start, end, "false"), start, end)

    def branch_on_declared(self, name: str, start: int, end: int) -> None:
        number = self.mutant("branch", start, end, "true")
        self.mutant("branch", start, end, "false")
        self.wraps.append(Wrap(start, end, "", f"; ::sluice::mutation::branch({number}, "
                                               f"static_cast<bool>({name}))"))

    def flip(self, kind: str, start: int, end: int, instead: str) -> None:
        if self.is_new("flip", start, end):
            self.call("flipped", self.mutant(kind, start, end, instead), start, end)

    def drop(self, node: Cursor) -> None:
        start, end = self.span(node)
        if not self.is_written_here(node) or is_left_alone(node):
            return
        if self.words(end, end + 1) == ";" and self.is_new("drop", start, end):
            number = self.mutant("drop", start, end, "")
            self.wraps.append(Wrap(start, end + 1, f"{{ if (!::sluice::mutation::on({number})) ",
                                   " }"))

    def operation(self, left: Cursor, right: Cursor, direct: bool) -> None:
        """`direct`: the whole is a condition, of which both outcomes are forced already."""
        start, end = self.span(left)[0], self.span(right)[1]
        gap = self.span(left)[1], self.span(right)[0]
        between = COMMENTS.sub(lambda it: " " * len(it.group(0)), self.words(*gap))
        operator = between.strip()
        at = gap[0] + between.find(operator), gap[0] + between.find(operator) + len(operator)
        if not operator or not self.is_new("operation", start, end):
            return
        if operator in ("&&", "||"):
            self.plant_logic(operator, self.span(left), self.span(right), at)
        elif operator in ("==", "!=") and not direct:
            other = "!=" if operator == "==" else "=="
            self.flip("relation", start, end, self.instead(start, end, at, other))
        elif operator in RELATIONS:
            if operator in ("<", ">=") and right.kind == Kind.INTEGER_LITERAL:
                self.is_new("bound", *self.span(right))  # a <= 3 says what a < 4 would say
            self.plant_call("relation", *RELATIONS[operator], start, end, at)
        elif operator in SUMS and self.is_summable(operator, left, right):
            self.plant_call("sum", *SUMS[operator], start, end, at)

    def instead(self, start: int, end: int, at: tuple[int, int], other: str) -> str:
        return self.words(start, at[0]) + other + self.words(at[1], end)

    def plant_call(self, kind: str, name: str, other: str, start: int, end: int,
                   at: tuple[int, int]) -> None:
        number = self.mutant(kind, start, end, self.instead(start, end, at, other))
        self.wraps.append(Wrap(start, end, f"::sluice::mutation::{name}({number}, ", ")", at))

    def plant_logic(self, operator: str, left: tuple[int, int], right: tuple[int, int],
                    at: tuple[int, int]) -> None:
        """a || b is !(!a && !b): three flips, and neither side is written twice."""
        other = "||" if operator == "&&" else "&&"
        number = self.mutant("logic", left[0], right[1],
                             self.instead(left[0], right[1], at, other))
        for start, end in ((left[0], right[1]), left, right):
            self.call("flipped", number, start, end)

    @staticmethod
    def is_summable(operator: str, left: Cursor, right: Cursor) -> bool:
        sides = [left.type, right.type]
        if any(is_string(side) for side in sides) or not all(
                is_number(side) or is_duration(side) or side.spelling.endswith("Instant")
                for side in sides):
            return False
        both_instants = all(side.spelling.endswith("Instant") for side in sides)
        plain = all(is_number(side) for side in sides)
        return not both_instants and (plain or operator in "+-")

    def bound(self, node: Cursor) -> None:
        start, end = self.span(node)
        if self.is_written_here(node) and self.is_new("bound", start, end):
            step = "1s" if is_duration(node.type) else "1"
            number = self.mutant("bound", start, end, f"{self.words(start, end)} + {step}")
            self.wraps.append(Wrap(start, end, f"::sluice::mutation::more({number}, ", ")"))

    # Looking for places.

    def walk(self, node: Cursor, direct: bool = False) -> None:
        if node.kind in (Kind.STATIC_ASSERT, Kind.PARM_DECL, Kind.MACRO_INSTANTIATION):
            return
        if node.kind == Kind.DECL_STMT and is_constant(self.words(*self.span(node))):
            return
        if is_left_alone(node):
            return
        children = list(node.get_children())
        if self.is_written_here(node):
            self.plant(node, children, direct)
        for child in self.inner(node, children):
            self.walk(child, self.is_condition(node, child, direct))

    def is_condition(self, node: Cursor, child: Cursor, direct: bool) -> bool:
        """Wrappers of one place are one place."""
        if node.kind in (Kind.IF_STMT, Kind.CONDITIONAL_OPERATOR):
            return ("branch", *self.span(child)) in self.seen
        return direct and self.span(node) == self.span(child)

    def inner(self, node: Cursor, children: list[Cursor]) -> list[Cursor]:
        """The children that are no argument of a template, no label and no `if constexpr (...)`."""
        name = node.location.offset
        if node.kind == Kind.DECL_REF_EXPR:
            return []
        if node.kind == Kind.MEMBER_REF_EXPR:
            return [one for one in children if self.span(one)[0] < name]
        if node.kind == Kind.VAR_DECL:
            return [one for one in children if self.span(one)[0] >= name]
        if node.kind == Kind.CASE_STMT or self.is_for_the_compiler(node):
            return children[1:]
        return children

    def is_for_the_compiler(self, node: Cursor) -> bool:
        start, end = self.span(node)
        return node.kind == Kind.IF_STMT and re.match(
            r"if\s+constexpr", self.words(start, end)) is not None

    def plant(self, node: Cursor, children: list[Cursor], direct: bool) -> None:
        kind, (start, end) = node.kind, self.span(node)
        if kind in (Kind.IF_STMT, Kind.WHILE_STMT, Kind.FOR_STMT):
            self.plant_control(node, children)
        elif kind == Kind.CONDITIONAL_OPERATOR and self.is_written_here(children[0]):
            self.branch(*self.span(children[0]))
        elif kind in STATEMENTS:
            self.plant_statements(node, children)
        elif kind == Kind.UNARY_OPERATOR and re.fullmatch(r"-\d+", self.words(start, end)):
            self.bound(node)
            self.is_new("bound", start + 1, end)
        elif kind == Kind.UNARY_OPERATOR and self.words(start, start + 1) == "!" and not direct:
            if self.words(start, start + 2) != "!=":
                self.flip("logic", start, end, self.words(start + 1, end))
        elif kind == Kind.CXX_BOOL_LITERAL_EXPR and not direct:
            self.flip("logic", start, end, "false" if self.words(start, end) == "true" else "true")
        elif kind == Kind.INTEGER_LITERAL and self.words(start, start + 1).isdigit():
            self.bound(node)
        elif kind == Kind.CALL_EXPR and node.spelling.startswith('operator""'):
            if is_duration(node.type):
                self.bound(node)
        elif kind == Kind.DECL_REF_EXPR and self.is_named_bound(node):
            self.bound(node)
        sides = [one for one in children if not re.match(r"operator\W", one.spelling)
                 or one.kind not in (Kind.UNEXPOSED_EXPR, Kind.DECL_REF_EXPR)
                 or one.spelling.startswith('operator""')]
        if len(sides) == 2 and kind.is_expression() and all(map(self.is_written_here, sides)):
            if self.span(sides[0])[1] <= self.span(sides[1])[0]:
                self.operation(*sides, direct)

    def is_named_bound(self, node: Cursor) -> bool:
        declared = node.referenced
        if declared is None or declared.kind != Kind.VAR_DECL:
            return False
        first = next(iter(declared.get_tokens()), None)
        is_ours = "/src/" in str(declared.location.file) or self.is_here(declared)
        return (is_ours and first is not None and first.spelling in ("constexpr", "inline")
                and (is_number(declared.type) or is_duration(declared.type)))

    def plant_control(self, node: Cursor, children: list[Cursor]) -> None:
        start, _ = self.span(node)
        opening = self.text.index("(", start)
        closing = self.closing(opening)
        self.plant_bodies(node, [one for one in children if self.span(one)[0] > closing])
        if self.is_for_the_compiler(node):
            return
        within = [one for one in children if self.is_written_here(one)
                  and opening < self.span(one)[0] and self.span(one)[1] <= closing]
        if node.kind == Kind.FOR_STMT:
            parts = self.words(opening + 1, closing).split(";")
            begin = opening + 2 + len(parts[0])
            within = [one for one in within
                      if begin <= self.span(one)[0] and self.span(one)[1] <= begin + len(parts[1])]
        declared = [one for one in within if one.kind == Kind.VAR_DECL]
        if not declared and within and within[-1].kind.is_expression():
            (self.branch if node.kind == Kind.IF_STMT else self.loop)(*self.span(within[-1]))
        elif declared and node.kind == Kind.IF_STMT and ";" not in self.words(opening, closing):
            self.branch_on_declared(declared[0].spelling, *self.span(declared[0]))

    def plant_bodies(self, node: Cursor, bodies: list[Cursor]) -> None:
        for one in bodies:
            if one.kind.is_expression():
                self.drop(one)

    def plant_statements(self, node: Cursor, children: list[Cursor]) -> None:
        if node.kind == Kind.CASE_STMT:
            children = children[1:]
        elif node.kind == Kind.CXX_FOR_RANGE_STMT:
            children = children[-1:]
        self.plant_bodies(node, children)

    def functions(self, node: Cursor) -> Iterator[Cursor]:
        for child in node.get_children():
            if not self.is_here(child):
                continue
            if child.kind in FUNCTIONS:
                if child.is_definition() and not is_constant(self.words(*self.span(child))):
                    yield child
            elif child.kind in SCOPES:
                yield from self.functions(child)

    # The copy.

    def copy(self) -> str:
        for function in self.functions(self.unit.cursor):
            self.walk(function)
        pieces: dict[int, tuple[list[str], list[str]]] = {}
        commas: dict[int, int] = {}
        # The outer begins before the inner and ends after it; at one place, the first is the outer.
        outer_first = sorted(enumerate(self.wraps), key=lambda it: (it[1].start, -it[1].end, it[0]))
        for _, wrap in outer_first:
            pieces.setdefault(wrap.start, ([], []))[1].append(wrap.before)
            pieces.setdefault(wrap.end, ([], []))[0].insert(0, wrap.after)
            if wrap.operator:
                commas[wrap.operator[0]] = wrap.operator[1]
        for at in commas:
            pieces.setdefault(at, ([], []))
        out, last = [], 0
        for at in sorted(pieces):
            out += [self.words(last, at), *pieces[at][0]]
            last = at
            if at in commas:
                out.append(",")
                last = commas[at]
            out += pieces[at][1]
        return "".join(out) + self.words(last, len(self.text))


def main() -> int:
    source, copy, first = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    planter = Planter(source, first)
    text = planter.copy()
    if len(planter.mutants) > 1000:
        raise SystemExit(f"{source} has more than a thousand places; give files more numbers")
    copy.parent.mkdir(parents=True, exist_ok=True)
    head = f'#include "tests/mutation/switch.hpp"\n#line 1 "{source}"\n'
    copy.write_bytes((head + text).encode("latin-1"))
    name = str(source.resolve().relative_to(ROOT)) if source.is_relative_to(ROOT) else source.name
    table = [{"number": number, "file": name, **mutant._asdict()}
             for number, mutant in planter.mutants.items()]
    Path(f"{copy}.json").write_text(json.dumps(table, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
