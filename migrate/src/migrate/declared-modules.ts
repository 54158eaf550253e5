import ts from 'typescript'
import type { App } from './app.js'
import type { Code } from './code.js'
import { importedName, overwriteModule } from './move-imports.js'

/**
 * `declare module`, by which an app extends types.
 *
 * @param gone gets the imported names that nothing uses any more
 */
export function changeDeclared(app: App, code: Code, node: ts.Node, gone?: Set<ts.Node>): void {
  if (!ts.isModuleDeclaration(node) || !ts.isStringLiteral(node.name)) return
  const module = node.name.text
  if (!/^(?:@auth\/|next-auth)/.test(module) || !node.body || !ts.isModuleBlock(node.body)) return
  const isJwt = module.endsWith('/jwt')
  const pattern = isJwt ? /^JWT$/ : /^(?:Session|User)$/
  const unknown = node.body.statements.find(
    (one) => !ts.isInterfaceDeclaration(one) || !pattern.test(one.name.text),
  )
  if (unknown) {
    app.decide(
      code,
      unknown,
      'Only `Session` and `User` of `@latchkey/session`, and `JWT` of `@latchkey/worker/types`, can be extended.',
    )
    return
  }
  const to = isJwt ? '@latchkey/worker/types' : '@latchkey/session'
  app.needed.add(isJwt ? '@latchkey/worker' : to)
  overwriteModule(code, node.name, to)
  for (const one of node.body.statements) {
    if (gone && ts.isInterfaceDeclaration(one)) dropDefaults(app, code, one, gone)
  }
}

/** `extends DefaultUser` and `extends DefaultJWT`: ours have those members without it. */
function dropDefaults(
  app: App,
  code: Code,
  { heritageClauses, name, typeParameters }: ts.InterfaceDeclaration,
  gone: Set<ts.Node>,
): void {
  const [clause, ...others] = heritageClauses ?? []
  const [type, ...more] = clause?.types ?? []
  if (!clause || !type || others.length > 0 || more.length > 0 || typeParameters) return
  const imported = importedName(app, type.expression, /^next-auth(?:\/jwt)?$/) ?? ''
  if (!/^Default(?:User|JWT)$/.test(imported) || !ts.isIdentifier(type.expression)) return
  code.edit.remove(name.end, clause.end)
  const [declaration] = app.symbolOf(type.expression)?.declarations ?? []
  if (!declaration || !ts.isImportSpecifier(declaration)) return
  if (app.usesOf(declaration.name).length === 1) gone.add(declaration.name)
}
