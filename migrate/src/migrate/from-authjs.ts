import ts from 'typescript'
import type { App } from './app.js'
import { changeConfigs } from './authjs-config.js'
import { type ConfigPlaces, configsOf } from './authjs-configs-of.js'
import { type Adapter, authjsModule, presetChange } from './authjs-modules.js'
import { changeTarget } from './client-target.js'
import { below, type Code } from './code.js'
import { changeDeclared } from './declared-modules.js'
import { fromNextAuth } from './from-next-auth.js'
import { importedName, moduleOf, modulesOf, moveImports, overwrite } from './move-imports.js'
import { decideWritten } from './written-sessions.js'

const PLACES: ConfigPlaces = {
  from: /^@auth\/(?:express|sveltekit|core)$/,
  functions: { ExpressAuth: 0, SvelteKitAuth: 0, Auth: 1 },
  types: /^(?:ExpressAuthConfig|SvelteKitAuthConfig|AuthConfig)$/,
}

/** Changes the code of an app that uses `@auth/express`, `@auth/sveltekit` or `@auth/core`. */
export function fromAuthjs(app: App): void {
  const modules = new Set([...app.codes.values()].flatMap((code) => [...modulesOf(code)]))
  if (![...modules].some((name) => /^@auth\//.test(name) || isForeignFramework(name))) return
  const uses = (name: string) => [...modules].some((one) => one.startsWith(`@auth/${name}`))
  const adapter: Adapter = uses('sveltekit')
    ? '@latchkey/sveltekit'
    : uses('express')
      ? '@latchkey/express'
      : '@latchkey/worker'
  const foreign = [...modules].filter(isForeignFramework)
  if (adapter === '@latchkey/worker' && foreign.length > 0) {
    if (foreign.every((name) => name.startsWith('next-auth'))) {
      fromNextAuth(app)
      return
    }
    const text =
      'The command changes only apps that use `@auth/express`, `@auth/sveltekit`, `@auth/core` or `next-auth` alone: docs/migrate-from-authjs.md.'
    app.decisions.push({ path: 'package.json', text })
    return
  }
  const configs = configsOf(app, PLACES)
  for (const code of app.codes.values()) {
    for (const node of below(code.tree)) {
      changeCall(app, code, node)
      changeDeclared(app, code, node)
      const module = moduleOf(node)?.text ?? ''
      const change = module.startsWith('@auth/') ? presetChange(module) : undefined
      if (change !== undefined) app.decide(code, node, change)
    }
    const isForeign = [...modulesOf(code)].some(isForeignFramework)
    moveImports(app, code, (module) => {
      const destination = authjsModule(module, adapter)
      // Code that stays with Auth.js keeps its providers too.
      const isKept = isForeign && module.startsWith('@auth/core')
      return isKept && destination && 'to' in destination ? undefined : destination
    })
    changeReferences(code)
  }
  changeConfigs(app, configs, { adapter, version: 5 })
  if (configs.length === 0 && (uses('express') || uses('sveltekit'))) {
    const text =
      'No configuration was found as an object: add `migrateFrom` yourself, or all users are signed out.'
    app.decisions.push({ path: 'package.json', text })
  }
  if (adapter !== '@latchkey/worker') app.needed.add('@latchkey/worker')
}

/** Another framework's Auth.js, which has no counterpart here. */
function isForeignFramework(module: string): boolean {
  return /^(?:next-auth|@hono\/auth-js|@auth\/(?:qwik|solid-start|fastify|nuxt|astro|remix))(?:\/|$)/.test(
    module,
  )
}

function changeCall(app: App, code: Code, node: ts.Node): void {
  if (!ts.isCallExpression(node)) return
  const client = importedName(app, node.expression, /^@auth\/sveltekit\/client$/)
  if (client !== undefined) {
    changeTarget(code, node.arguments[client === 'signIn' ? 1 : 0])
  } else changeFirstRelease(app, code, node)
  if (readsSession(app, code, node)) decideWritten(app, code, node)
}

function readsSession(app: App, code: Code, { expression }: ts.CallExpression): boolean {
  if (importedName(app, expression, /^@auth\/express$/) === 'getSession') return true
  return /(?:^|[.])locals[?]?[.](?:auth|getSession)$/.test(expression.getText(code.tree))
}

/** What `@auth/sveltekit` was before 1.0: a hook as the answer, and `locals.getSession()`. */
function changeFirstRelease(app: App, code: Code, node: ts.CallExpression): void {
  const { expression, parent } = node
  if (importedName(app, expression, /^@auth\/sveltekit$/) === 'SvelteKitAuth') {
    if (ts.isVariableDeclaration(parent) && parent.name.getText(code.tree) === 'handle') {
      overwrite(code, parent.name, '{ handle }')
    } else if (ts.isCallExpression(parent) && parent.expression.getText(code.tree) === 'sequence') {
      code.edit.appendLeft(node.end, '.handle')
    }
    return
  }
  if (!ts.isPropertyAccessExpression(expression) || node.arguments.length > 0) return
  const isOfLocals = /(?:^|[.])locals$/.test(expression.expression.getText(code.tree))
  if (isOfLocals && expression.name.text === 'getSession') overwrite(code, expression.name, 'auth')
}

/** `/// <reference types="@auth/sveltekit" />` */
function changeReferences(code: Code): void {
  for (const { fileName, pos, end } of code.tree.typeReferenceDirectives) {
    if (fileName === '@auth/sveltekit') code.edit.overwrite(pos, end, '@latchkey/sveltekit')
  }
}
