import ts from 'typescript'
import type { App } from './app.js'
import { below } from './code.js'
import { importedName } from './move-imports.js'
import { type Literal, memberAt, memberOf, valueIn } from './objects.js'

/** Lists the decisions about options that version 4 of next-auth understands in another way. */
export function decideVersion4(app: App, config: Literal): void {
  const { code, node } = config
  const logger = memberOf(node, 'logger')
  if (logger) app.decide(code, logger, '`logger.error` gets an error, not a code and metadata.')
  const secret = memberAt(node, 'jwt.secret')
  if (secret) app.decide(code, secret, 'New sessions have `secret`, or AUTH_SECRET.')
  const providers = valueIn(memberOf(node, 'providers'))
  for (const one of providers ? below(providers) : []) {
    if (!ts.isCallExpression(one)) continue
    if (importedName(app, one.expression, /\/providers\/credentials$/) !== 'default') continue
    const [options] = one.arguments
    if (options && ts.isObjectLiteralExpression(options)) {
      decideAuthorize(app, { code, node: options })
    }
  }
}

function decideAuthorize(app: App, { code, node }: Literal): void {
  const member = memberOf(node, 'authorize')
  const made = member && (ts.isMethodDeclaration(member) ? member : valueIn(member))
  if (!member || !made) return
  const isFunction =
    ts.isMethodDeclaration(made) || ts.isArrowFunction(made) || ts.isFunctionExpression(made)
  if (!isFunction) return
  const isTyped = /[.][cm]?tsx?$/.test(code.path)
  if (isTyped && made.parameters.length > 0) {
    app.decide(code, member, 'The values of the credentials are `unknown`: check each one.')
  }
  const request = made.parameters[1]
  if (request) app.decide(code, request, 'It is a `Request`: `headers` is read by `get`.')
  const thrown = [...below(made)].find(
    (one) =>
      ts.isThrowStatement(one) &&
      ts.isNewExpression(one.expression) &&
      one.expression.expression.getText(code.tree) === 'Error',
  )
  if (thrown) {
    const text =
      'The message of an error is not shown any more: throw a `CredentialsSignin` with a `code`, or answer `null`.'
    app.decide(code, thrown, text)
  }
}
