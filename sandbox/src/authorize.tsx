import type { Context } from 'hono'
import { type AuthorizeCheck, checkAuthorize, redirectTo } from './authorize-request.js'
import { ConsentPage } from './consent-page.js'
import type { SandboxContext } from './context.js'
import { isForm } from './form.js'
import { ownAppPath } from './own-app-page.js'
import { ErrorPage, sendPage } from './page.js'
import { type LogVariables, noteFields } from './request-log.js'
import { basicScope, isScope, withBasic } from './scopes.js'

const showError = (c: Context<LogVariables>, error: string, reason: string, status: 400 | 403) => {
  c.set('outcome', error)
  return sendPage(
    c,
    <ErrorPage error={error} reason={reason}>
      You were not sent back to the app, because nothing here is known to be safe to send.{' '}
      <a href={ownAppPath}>Use the sandbox from an app of your own</a>
    </ErrorPage>,
    status,
  )
}

const showRefusal = (
  c: Context<LogVariables>,
  refusal: Exclude<AuthorizeCheck, { kind: 'ask' }>,
  status: 302 | 303,
) => {
  if (refusal.kind === 'page') return showError(c, refusal.error, refusal.reason, 400)
  c.set('outcome', refusal.error)
  return c.redirect(refusal.location, status)
}

/** `GET /v2/auth/authorize/`: asks the person, or explains the error in the request. */
export const handleAuthorize = (c: Context<LogVariables>, context: SandboxContext) => {
  const url = new URL(c.req.url)
  const check = checkAuthorize(url.searchParams, context.clients)
  if (check.kind !== 'ask') return showRefusal(c, check, 302)
  c.set('outcome', 'consent')
  return sendPage(
    c,
    <ConsentPage
      // Only the query: behind a proxy the origin that we see may not be the browser's.
      action={url.search}
      clientName={check.request.client.name ?? check.request.client.clientKey}
      redirectUri={check.request.redirectUri}
      people={context.people}
      scopes={withBasic(check.request.scopes)}
    />,
  )
}

/**
 * `POST /v2/auth/authorize/?…`: the person's decision. The request in the query is checked again.
 */
export const handleDecision = async (c: Context<LogVariables>, context: SandboxContext) => {
  const site = c.req.header('Sec-Fetch-Site')
  if (site === 'cross-site' || site === 'same-site') {
    return showError(c, 'access_denied', 'Only this page itself can send the decision.', 403)
  }
  const check = checkAuthorize(new URL(c.req.url).searchParams, context.clients)
  if (check.kind !== 'ask') return showRefusal(c, check, 303)
  const { client, redirectUri, state, scopes, challenge } = check.request

  const form = new URLSearchParams(isForm(c.req.raw) ? await c.req.text() : '')
  // The query has a `scope` too; the log keeps that one, which the app asked for.
  noteFields(
    c,
    [...form].filter(([name]) => name !== 'scope'),
  )
  const decision = form.get('decision')
  if (decision === 'cancel') {
    c.set('outcome', 'access_denied')
    const error = { error: 'access_denied', error_description: 'The person cancelled' }
    return c.redirect(redirectTo(redirectUri, { ...error, state }), 303)
  }
  const person = context.people.find(({ id }) => id === form.get('person'))
  const granted = form.getAll('scope').filter(isScope)
  const known =
    granted.length === form.getAll('scope').length &&
    granted.every((scope) => scope === basicScope || scopes.includes(scope))
  if (decision !== 'allow' || !person || !known) {
    return showError(c, 'invalid_request', 'The form was not filled in as this page offers.', 400)
  }
  const allowed = withBasic(granted)
  const code = context.grants.issueCode(
    { clientKey: client.clientKey, person, scopes: allowed },
    { redirectUri, challenge },
  )
  return c.redirect(redirectTo(redirectUri, { code, scopes: allowed.join(','), state }), 303)
}
