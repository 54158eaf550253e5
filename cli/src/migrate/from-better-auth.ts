import ts from 'typescript'
import type { App } from './app.js'
import { changeInstance } from './better-auth-instance.js'
import { changeUses } from './better-auth-uses.js'
import { below } from './code.js'
import type { Instance } from './instance.js'
import { importedName, moduleOf } from './move-imports.js'

/**
 * Changes the code of an Express app that uses better-auth. The instance stays beside the configuration that
 * takes its place: it is asked for sessions of before, for accounts and for passwords.
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
  if (!isServed) return
  const byName = new Map(instances.map((one) => [one.name, one]))
  for (const code of app.codes.values()) changeUses(app, code, byName)
}

function instancesOf(app: App): Instance[] {
  const found: Instance[] = []
  for (const code of app.codes.values()) {
    for (const statement of code.tree.statements) {
      if (!ts.isVariableStatement(statement)) continue
      const [one] = statement.declarationList.declarations
      const call = one?.initializer
      if (!one || !ts.isIdentifier(one.name) || !call || !ts.isCallExpression(call)) continue
      if (importedName(app, call.expression, /^better-auth(?:\/minimal)?$/) !== 'betterAuth')
        continue
      const [options] = call.arguments
      if (!options || !ts.isObjectLiteralExpression(options)) {
        app.decide(code, call, 'Only a configuration that is written as an object is read.')
        continue
      }
      const config = `${one.name.text}Config`
      if (code.identifiers.some(({ text }) => text === config)) continue
      found.push({ code, statement, name: one.name, options, config })
    }
  }
  return found
}
