import ts from 'typescript'
import type { App } from './app.js'
import type { Code } from './code.js'

const FROZEN =
  'All that read the session in a request have the same object, which nothing can change: change a copy, such as `structuredClone(session)`.'

/** Names the first place where an app writes into a session. Each call of Auth.js gave it one of its own. */
export function decideWritten(app: App, code: Code, call: ts.CallExpression): void {
  const { parent: declaration } = outermost(call)
  if (!ts.isVariableDeclaration(declaration) || !ts.isIdentifier(declaration.name)) return
  const written = app.usesOf(declaration.name).find(isWritten)
  if (written) app.decide(code, written, FROZEN)
}

/** The value with `await`, parentheses and claims about its type around it. */
function outermost(node: ts.Expression): ts.Expression {
  const { parent } = node
  const isAround =
    ts.isAwaitExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isNonNullExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent)
  return isAround ? outermost(parent) : node
}

/** Is a member of it assigned to, or deleted? */
function isWritten(use: ts.Identifier): boolean {
  let member: ts.Expression = outermost(use)
  while (isObjectOf(member, member.parent)) member = outermost(member.parent)
  if (member === outermost(use)) return false
  const { parent } = member
  if (ts.isDeleteExpression(parent) || ts.isPostfixUnaryExpression(parent)) return true
  if (!ts.isBinaryExpression(parent) || parent.left !== member) return false
  const { kind } = parent.operatorToken
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
}

function isObjectOf(node: ts.Expression, parent: ts.Node): parent is ts.Expression {
  const isMember = ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)
  return isMember && parent.expression === node
}
