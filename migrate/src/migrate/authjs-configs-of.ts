import ts from 'typescript'
import type { App } from './app.js'
import { below, type Code } from './code.js'
import { importedName } from './move-imports.js'
import { type Literal, literalOf } from './objects.js'
import { ownOf } from './own-of.js'

/** Where a library is given its configuration. */
export interface ConfigPlaces {
  /** The modules of the functions. */
  readonly from: RegExp
  /** The functions, with the places of their arguments. */
  readonly functions: Readonly<Record<string, number>>
  /** The types of a configuration. */
  readonly types: RegExp
}

/** The configurations, each once, wherever they are written as an object. */
export function configsOf(app: App, { from, functions, types }: ConfigPlaces): Literal[] {
  const literals = new Map<ts.Node, Literal>()
  const add = (code: Code, node: ts.Expression | undefined) => {
    const literal = literalOf(app, code, node)
    if (literal) literals.set(literal.node, literal)
  }
  for (const code of app.codes.values()) {
    for (const node of below(code.tree)) {
      if (ts.isCallExpression(node)) {
        const place = ownOf(functions, importedName(app, node.expression, from) ?? '')
        if (place !== undefined) add(code, node.arguments[place])
      }
      const { type, of } = typed(node)
      if (type && types.test(importedName(app, type, /^(?:@auth\/|next-auth)/) ?? '')) add(code, of)
    }
  }
  return [...literals.values()]
}

/** The type of a declaration, or of an expression that satisfies one. */
function typed(node: ts.Node): { type?: ts.EntityName; of?: ts.Expression | undefined } {
  const isTyped = ts.isVariableDeclaration(node) || ts.isSatisfiesExpression(node)
  if (!isTyped || !node.type || !ts.isTypeReferenceNode(node.type)) return {}
  return {
    type: node.type.typeName,
    of: ts.isVariableDeclaration(node) ? node.initializer : node.expression,
  }
}
