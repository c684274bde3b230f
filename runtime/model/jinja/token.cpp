#include "troupe/model/jinja/token.h"

namespace troupe::model::jinja {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::data:
      return "text";
    case TokenKind::block_begin:
      return "'{%'";
    case TokenKind::block_end:
      return "'%}'";
    case TokenKind::variable_begin:
      return "'{{'";
    case TokenKind::variable_end:
      return "'}}'";
    case TokenKind::name:
      return "the name '" + token.text + "'";
    case TokenKind::string:
      return "a string";
    case TokenKind::integer:
    case TokenKind::real:
      return "a number";
    case TokenKind::symbol:
      return "'" + token.text + "'";
    case TokenKind::end:
      return "the end of the template";
  }
  return "nothing";
}

}  // namespace troupe::model::jinja
