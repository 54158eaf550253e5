import ts from 'typescript'
import type { Code } from './code.js'
import { overwrite } from './move-imports.js'
import { memberOf } from './objects.js'

/** `callbackUrl` of `signIn` and `signOut` in the browser is called `redirectTo`. */
export function changeTarget(code: Code, options: ts.Expression | undefined): void {
  if (!options || !ts.isObjectLiteralExpression(options)) return
  const old = memberOf(options, 'callbackUrl')
  if (!old?.name || memberOf(options, 'redirectTo')) return
  const isShort = ts.isShorthandPropertyAssignment(old)
  overwrite(code, old.name, isShort ? 'redirectTo: callbackUrl' : 'redirectTo')
}
