import ts from 'typescript'
import type { App } from './app.js'
import { below, type Code } from './code.js'
import { importedName } from './move-imports.js'

export const PAGES_ROUTER =
  'The Pages Router is left to you: move this to the App Router, or read the session there by `createVerifier` (docs/migrate-from-authjs-next.md).'

/** A file of the Pages Router. */
export function isInPages(path: string): boolean {
  return /^(?:src\/)?pages\//.test(path)
}

/**
 * Lists the calls that read a token or a session where only the Pages Router needs it, and keeps their imports.
 *
 * @param kept gets the names whose imports stay
 */
export function decideTokens(app: App, code: Code, kept: Set<ts.Node>): void {
  for (const node of below(code.tree)) {
    if (!ts.isCallExpression(node)) continue
    const { expression, arguments: args } = node
    const ofToken = importedName(app, expression, /^(?:next-auth|@auth\/core)\/jwt$/)
    if (ofToken !== undefined) {
      const text = isInPages(code.path)
        ? PAGES_ROUTER
        : `\`${ofToken}\`: \`auth()\` reads the session, which has what the \`session\` callback puts there; \`createVerifier\` of \`@latchkey/session\` verifies a token.`
      app.decide(code, node, text)
      keep(app, expression, kept)
    }
    const isAsked = importedName(app, expression, /^next-auth\/react$/) === 'getSession'
    if (isAsked && args.length > 0) {
      app.decide(code, node, PAGES_ROUTER)
      keep(app, expression, kept)
    }
  }
}

/** Keeps the import of a name. */
export function keep(app: App, name: ts.Node, kept: Set<ts.Node>): void {
  if (!ts.isIdentifier(name)) return
  const [one] = app.symbolOf(name)?.declarations ?? []
  if (one && (ts.isImportSpecifier(one) || ts.isImportClause(one)) && one.name) kept.add(one.name)
}
