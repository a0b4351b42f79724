"""Makes small mistakes in functions. Each has a key, so that a later run can make the same mistake."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from textwrap import shorten
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
Change = tuple[str, Any, str]
"""(operator, the node whose text is replaced, the new text)"""

BOUNDARIES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip
FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
LOOKUPS = {"lt": "lte", "lte": "lt", "gt": "gte", "gte": "gt"}
QUERIES = {"filter", "exclude", "get", "Q", "get_object_or_404", "aget", "update_or_create", "get_or_create"}
ATOMIC = {"atomic", "write_transaction"}
HARMLESS = {"debug", "info", "warning", "error", "exception", "print"}
"""Calls that are not removed, because no test should depend on log messages or printed progress."""
GUARDS = ATOMIC | {"owner_required", "editor_required", "without_organization", "never_cache", "require_POST"}


@dataclass(frozen=True)
class Mutant:
    """A mistake in a function. function: its qualified name; text: a hash of its source
    number: from 1, among the mutants that this operator makes in this function; line: the line of the mistake
    reached: first and last line of the changed statement; of the function's body if the change takes effect on import
    span: start and end of the replaced bytes in the file
    """

    file: str
    function: str
    operator: str
    number: int
    text: str
    line: int
    reached: tuple[int, int]
    span: tuple[int, int]
    before: str
    after: str

    @property
    def key(self) -> str:
        return f"{self.file}::{self.function}::{self.operator}::{self.number}"

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line} {self.operator} {shorten(self.before, 70)} -> {shorten(self.after, 70)}"

    def applied(self, source: str) -> str:
        """Return the source of the file with this mistake."""
        encoded = source.encode()
        start, stop = self.span
        return (encoded[:start] + self.after.encode() + encoded[stop:]).decode()


def mutants_of(file: str, source: str) -> list[Mutant]:
    """Return all mutants of the functions in a file."""
    encoded = source.encode()
    offsets = [0, *accumulate(map(len, encoded.splitlines(keepends=True)))]
    numbers: Counter[tuple[str, str]] = Counter()
    mutants = []
    for name, function, statement, (operator, node, after) in _changes_below(ast.parse(source)):
        start, stop = (offsets[line - 1] + column for line, column in _ends(node))
        if operator == "decorator":
            start = encoded.rindex(b"@", 0, start)
        numbers[name, operator] += 1
        # A hash of the source of the function and its decorators.
        first = min(part.lineno for part in [*function.decorator_list, function])
        text = hashlib.sha256(encoded[offsets[first - 1] : offsets[_body(function)[1]]]).hexdigest()[:12]
        reached = _body(function) if statement is function else _header(statement)
        identity = file, name, operator, numbers[name, operator], text
        mutants.append(Mutant(*identity, node.lineno, reached, (start, stop), encoded[start:stop].decode(), after))
    return mutants


def _changes_below(
    node: ast.AST, names: tuple[str, ...] = (), function: Any = None, statement: Any = None
) -> Iterator[tuple[str, Function, ast.stmt, Change]]:
    """Yield the changes of a node and its children, with the qualified name, the outermost function and the statement."""
    statement = node if isinstance(node, ast.stmt) else statement
    function = function or (node if isinstance(node, Function) else None)
    if isinstance(node, ast.ClassDef | Function):
        names = (*names, node.name)
    if function is not None:
        yield from ((".".join(names), function, statement, change) for change in changes(node))
    # The parts of an f-string are skipped, because Python 3.11 gives wrong positions for them.
    for field, value in [] if isinstance(node, ast.JoinedStr) else ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and field not in ("annotation", "returns"):
                yield from _changes_below(child, names, function, statement)


def _ends(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return (line, column) of the start and the end of a node."""
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _body(function: Function) -> tuple[int, int]:
    """Return the first and last line of a function's body, without its docstring."""
    first = function.body[1 if len(function.body) > 1 and ast.get_docstring(function) else 0]
    return first.lineno, function.body[-1].end_lineno or first.lineno


def _header(statement: ast.stmt) -> tuple[int, int]:
    """Return the first and last line of a statement, without the block that it opens."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, last)


def changes(node: ast.AST) -> Iterator[Change]:
    """Yield the changes of a node itself, without those of its children."""
    make = {
        ast.Compare: _comparison, ast.BoolOp: _and_or, ast.UnaryOp: _not, ast.BinOp: _arithmetic,
        ast.AugAssign: _statement, ast.Constant: _constant, ast.Return: _returned, ast.Expr: _statement,
        ast.Raise: _statement, ast.Continue: _jump, ast.Break: _jump, ast.Call: _called, ast.If: _condition,
        ast.IfExp: _condition, ast.While: _condition, ast.With: _transaction,
        ast.FunctionDef: _decorators, ast.AsyncFunctionDef: _decorators,
    }.get(type(node))  # fmt: skip
    if make is not None:
        yield from make(node)


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _comparison(node: ast.Compare) -> Iterator[Change]:
    for operator, table in (("boundary", BOUNDARIES), ("comparison", FLIPS)):
        for index, old in enumerate(node.ops):
            if (new := table.get(type(old))) is not None:
                ops = [*node.ops[:index], new(), *node.ops[index + 1 :]]
                yield operator, node, _text(ast.Compare(node.left, ops, node.comparators))


def _and_or(node: ast.BoolOp) -> Iterator[Change]:
    yield "and-or", node, _text(ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
    for index in range(len(node.values)):
        rest = [value for other, value in enumerate(node.values) if other != index]
        yield "clause", node, _text(ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0])


def _not(node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield "not", node, _text(node.operand)


def _arithmetic(node: ast.BinOp) -> Iterator[Change]:
    new = ARITHMETIC.get(type(node.op))
    if new is not None and not any(map(_is_text, (node.left, node.right))):
        yield "arithmetic", node, _text(ast.BinOp(node.left, new(), node.right))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _constant(node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield "constant", node, str(not node.value)
    elif isinstance(node.value, int):
        yield "constant", node, f"({node.value + 1})"
        yield "constant", node, f"({node.value - 1})"
    elif isinstance(node.value, float):
        yield "constant", node, f"({2 * node.value or 1.0})"


def _returned(node: ast.Return) -> Iterator[Change]:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield "return", node, "return None"


def _statement(node: ast.Expr | ast.AugAssign | ast.Raise) -> Iterator[Change]:
    """Remove a statement: an augmented assignment, a raise, or a call whose result is not used."""
    is_called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if not isinstance(node, ast.Expr) or (is_called and _called_name(node.value) not in HARMLESS):
        yield "statement", node, "pass"


def _jump(node: ast.Continue | ast.Break) -> Iterator[Change]:
    yield "jump", node, "break" if isinstance(node, ast.Continue) else "continue"


def _condition(node: ast.If | ast.IfExp | ast.While) -> Iterator[Change]:
    if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp):
        yield "condition", node.test, f"(not ({ast.unparse(node.test)}))"


def _called_name(call: ast.expr) -> str:
    function = call.func if isinstance(call, ast.Call) else call
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _called(node: ast.Call) -> Iterator[Change]:
    """Swap min and max, remove a condition of a query, or change a bound between < and <=, or > and >=."""
    name = _called_name(node)
    if name in ("min", "max") and isinstance(node.func, ast.Name):
        yield "extreme", node.func, "max" if name == "min" else "min"
    if name not in QUERIES:
        return
    for index, word in enumerate(node.keywords):
        before, _, lookup = (word.arg or "").rpartition("__")
        if before and lookup in LOOKUPS:
            yield "lookup", word, f"{before}__{LOOKUPS[lookup]}={ast.unparse(word.value)}"
        if len(node.keywords) + len(node.args) > 1 and word.arg != "defaults":
            rest = [*node.keywords[:index], *node.keywords[index + 1 :]]
            yield "query", node, ast.unparse(ast.Call(node.func, node.args, rest))


def _transaction(node: ast.With) -> Iterator[Change]:
    for item in node.items:
        if item.optional_vars is None and _called_name(item.context_expr) in ATOMIC:
            yield "transaction", item.context_expr, '__import__("contextlib").nullcontext()'


def _decorators(node: Function) -> Iterator[Change]:
    for decorator in node.decorator_list:
        if _called_name(decorator) in GUARDS:
            yield "decorator", decorator, ""
