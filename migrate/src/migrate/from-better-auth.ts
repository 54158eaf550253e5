import ts from 'typescript'
import type { App } from './app.js'
import { changeInstance } from './better-auth-instance.js'
import { changeUses } from './better-auth-uses.js'
import { below, type Code } from './code.js'
import type { Instance } from './instance.js'
import { importedName, moduleOf } from './move-imports.js'

const BETTER_AUTH = /^better-auth(?:\/minimal)?$/

/**
 * Changes the code of an Express app that uses better-auth. The instance stays beside the
 * configuration that takes its place: it is asked for old sessions, accounts and passwords.
 */
export function fromBetterAuth(app: App): void {
  const instances = instancesOf(app)
  const isServed = [...app.codes.values()].some(({ tree }) =>
    [...below(tree)].some((node) => moduleOf(node)?.text === 'better-auth/node'),
  )
  for (const instance of instances) {
    if (isServed) changeInstance(app, instance)
    else {
      const text =
        'Only apps that serve better-auth by `toNodeHandler` of Express are changed: docs/migrate-from-better-auth.md.'
      app.decide(instance.code, instance.statement, text)
    }
  }
  for (const code of app.codes.values()) decideOthers(app, code, instances)
  if (!isServed) return
  const byName = new Map(instances.map((one) => [one.name, one]))
  for (const code of app.codes.values()) changeUses(app, code, byName)
}

/** An instance that stands elsewhere than in a constant of its file is left as it is. */
function decideOthers(app: App, code: Code, instances: readonly Instance[]): void {
  for (const node of below(code.tree)) {
    if (!ts.isCallExpression(node)) continue
    if (importedName(app, node.expression, BETTER_AUTH) !== 'betterAuth') continue
    if (instances.some(({ options }) => options.parent === node)) continue
    const text =
      'Only `const auth = betterAuth({ … })` at the top of a file is changed, with its options written there.'
    app.decide(code, node, text)
  }
}

function instancesOf(app: App): Instance[] {
  const instances: Instance[] = []
  for (const code of app.codes.values()) {
    for (const statement of code.tree.statements) {
      if (!ts.isVariableStatement(statement)) continue
      const [one] = statement.declarationList.declarations
      const call = one?.initializer
      if (!one || !ts.isIdentifier(one.name) || !call || !ts.isCallExpression(call)) continue
      if (importedName(app, call.expression, BETTER_AUTH) !== 'betterAuth') continue
      const [options] = call.arguments
      if (!options || !ts.isObjectLiteralExpression(options)) continue
      const config = `${one.name.text}Config`
      if (code.identifiers.some(({ text }) => text === config)) continue
      instances.push({ code, statement, name: one.name, options, config })
    }
  }
  return instances
}
