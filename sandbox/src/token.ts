import type { Context } from 'hono'
import type { SandboxClient } from './clients.js'
import type { SandboxContext } from './context.js'
import { challengeOf, derivedId } from './digest.js'
import { type Form, readForm } from './form.js'
import type { Grant, IssuedTokens } from './grants.js'
import type { LogVariables } from './request-log.js'

type Fields = Extract<Form, { ok: true }>

type Refusal = { readonly ok: false; readonly error: string; readonly reason: string }
type Outcome = { readonly ok: true; readonly body: Record<string, unknown> } | Refusal

const refuse = (error: string, reason: string): Refusal => ({ ok: false, error, reason })

export const openIdOf = (client: Pick<SandboxClient, 'clientKey'>, personId: string) =>
  derivedId('open', client.clientKey, personId)

const tokenAnswer = async (grant: Grant, tokens: IssuedTokens): Promise<Outcome> => ({
  ok: true,
  body: {
    open_id: await openIdOf(grant, grant.person.id),
    scope: grant.scopes.join(','),
    access_token: tokens.accessToken,
    expires_in: tokens.expiresIn,
    refresh_token: tokens.refreshToken,
    refresh_expires_in: tokens.refreshExpiresIn,
    token_type: 'Bearer',
  },
})

const authenticate = (context: SandboxContext, form: Fields): SandboxClient | Refusal => {
  const clientKey = form.get('client_key')
  const clientSecret = form.get('client_secret')
  if (!clientKey) return refuse('invalid_request', 'client_key is missing from the body')
  if (!clientSecret) return refuse('invalid_request', 'client_secret is missing from the body')
  const client = context.clients.get(clientKey)
  return client && client.clientSecret === clientSecret
    ? client
    : refuse('invalid_client', 'client_key or client_secret is wrong')
}

const exchangeCode = async (
  { grants }: SandboxContext,
  client: SandboxClient,
  form: Fields,
): Promise<Outcome> => {
  const value = form.get('code')
  const verifier = form.get('code_verifier')
  if (!value) return refuse('invalid_request', 'code is missing')
  if (!form.get('redirect_uri')) return refuse('invalid_request', 'redirect_uri is missing')
  if (!verifier) return refuse('invalid_request', 'code_verifier is missing')

  const taken = grants.takeCode(value, client.clientKey)
  if (!taken.ok) return refuse('invalid_grant', `the code is ${taken.reason}`)
  const { grant, redirectUri, challenge } = taken.code
  if (form.get('redirect_uri') !== redirectUri) {
    return refuse('invalid_grant', 'redirect_uri is not the one that the code was asked for with')
  }
  // RFC 7636 §4.1: 43 to 128 unreserved characters.
  if (!/^[\w.~-]{43,128}$/.test(verifier)) {
    return refuse('invalid_grant', 'code_verifier is malformed')
  }
  if ((await challengeOf(verifier, client.challenge ?? 'base64url')) !== challenge) {
    return refuse('invalid_grant', 'code_verifier does not belong to the code_challenge')
  }
  const tokens = grants.issueTokens(grant)
  return tokens ? tokenAnswer(grant, tokens) : refuse('invalid_grant', 'the code is used')
}

const refreshTokens = async (
  { grants }: SandboxContext,
  client: SandboxClient,
  form: Fields,
): Promise<Outcome> => {
  const value = form.get('refresh_token')
  if (!value) return refuse('invalid_request', 'refresh_token is missing')
  const refreshed = grants.refresh(value, client.clientKey)
  return refreshed
    ? tokenAnswer(refreshed.grant, refreshed.tokens)
    : refuse('invalid_grant', 'the refresh token is unknown, expired, revoked or used')
}

const withClient = async (
  c: Context<LogVariables>,
  context: SandboxContext,
  work: (client: SandboxClient, form: Fields) => Promise<Outcome> | Outcome,
): Promise<Response> => {
  const answer = async (): Promise<Outcome> => {
    const form = await readForm(c)
    if (!form.ok) return refuse('invalid_request', form.reason)
    const client = authenticate(context, form)
    return 'error' in client ? client : work(client, form)
  }
  const outcome = await answer()
  c.header('Cache-Control', 'no-store')
  if (outcome.ok) return c.json(outcome.body)
  c.set('outcome', outcome.error)
  return c.json(
    { error: outcome.error, error_description: outcome.reason, log_id: context.logId() },
    // Not status 400 as in RFC 6749 §5.2: the real server at times answers errors with 200.
    context.tokenErrorStatus,
  )
}

/** `POST /v2/oauth/token/`: exchanges a code or a refresh token for tokens. */
export const handleToken = (c: Context<LogVariables>, context: SandboxContext) =>
  withClient(c, context, (client, form) => {
    const grantType = form.get('grant_type')
    if (grantType === 'authorization_code') return exchangeCode(context, client, form)
    if (grantType === 'refresh_token') return refreshTokens(context, client, form)
    return grantType
      ? refuse('unsupported_grant_type', `grant_type "${grantType}" is not known`)
      : refuse('invalid_request', 'grant_type is missing')
  })

/** `POST /v2/oauth/revoke/`: ends everything that was granted together with the token. */
export const handleRevoke = (c: Context<LogVariables>, context: SandboxContext) =>
  withClient(c, context, (client, form) => {
    const token = form.get('token')
    if (!token) return refuse('invalid_request', 'token is missing')
    return context.grants.revoke(token, client.clientKey) === 'done'
      ? { ok: true, body: {} }
      : refuse('invalid_grant', 'the token belongs to another client')
  })
