#pragma once
#include "troupe/model/jinja/ast.h"
#include "troupe/model/jinja/callable.h"
#include "troupe/model/jinja/operators.h"

#include <string>
#include <utility>
#include <vector>

namespace troupe::model::jinja {

struct LiteralExpression : Expression {
  explicit LiteralExpression(Var constant) : value(std::move(constant)) {}
  Result<Var> evaluate(Frame&) const override { return value; }
  Var value;
};

struct NameExpression : Expression {
  explicit NameExpression(Symbol name) : symbol(name) {}
  Result<Var> evaluate(Frame& frame) const override;
  Symbol symbol;
};

/// [a, b] or (a, b).
struct ListExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  SequenceKind kind = SequenceKind::list;
  std::vector<const Expression*> items;
};

struct DictExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  std::vector<std::pair<const Expression*, const Expression*>> entries;
};

struct AttributeExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* object = nullptr;
  Var name;  // a string
};

struct ItemExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* object = nullptr;
  const Expression* key = nullptr;
};

struct SliceExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* object = nullptr;
  const Expression* bounds[3] = {};  // start, stop, step; nullptr when left out
};

struct NegateExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* operand = nullptr;
};

struct NotExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* operand = nullptr;
};

struct BinaryExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  BinaryOperator op = BinaryOperator::add;
  const Expression* left = nullptr;
  const Expression* right = nullptr;
};

/// `a and b`, `a or b`: the operand that decided, as in Python.
struct LogicExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  bool is_and = true;
  const Expression* left = nullptr;
  const Expression* right = nullptr;
};

/// a ~ b ~ c.
struct ConcatExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  std::vector<const Expression*> parts;
};

/// a < b <= c: every neighbouring pair holds.
struct CompareExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* first = nullptr;
  std::vector<std::pair<CompareOperator, const Expression*>> rest;
};

/// a if condition else b; undefined without else.
struct ConditionalExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* condition = nullptr;
  const Expression* then = nullptr;
  const Expression* otherwise = nullptr;
};

struct CallExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  /// As evaluate, with a caller() for a call block.
  Result<Var> call_with(Frame& frame, Var caller) const;
  const Expression* callee = nullptr;
  Arguments arguments;
};

struct FilterExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  /// The filter's result for a value.
  Result<Var> apply(Frame& frame, Var value) const;
  const Expression* input = nullptr;
  std::string name;
  const Builtin* builtin = nullptr;  // nullptr: unknown, an error when it is reached
  Arguments arguments;
};

struct TestExpression : Expression {
  Result<Var> evaluate(Frame& frame) const override;
  const Expression* input = nullptr;
  std::string name;
  const Builtin* builtin = nullptr;
  Arguments arguments;
  bool negated = false;
};

}  // namespace troupe::model::jinja
