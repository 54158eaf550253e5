import type { SessionNeeds } from '@latchkey/session'
import { mayAskFor, mayHave, resourcesFor } from './allowed-resources.js'
import { type RedirectUri, registeredUri } from './app-redirect.js'
import type { Parameters } from './parameters.js'
import { OPENID_SCOPES } from './read-resource.js'
import type { App, Server } from './settings.js'

/** A request of an app for a code (RFC 6749, section 4.1.1; OpenID Connect Core, section 3.1.2.1), as it was judged. */
export interface AuthorizationRequest {
  readonly app: App
  readonly redirectUri: RedirectUri
  readonly state: string | undefined
  readonly nonce: string | undefined
  /** The `code_challenge`, by `S256`. */
  readonly challenge: string
  /** The `aud` of access tokens. */
  readonly resource: string
  /** The scopes that may be granted, in the order asked, each once. */
  readonly scopes: readonly string[]
  readonly prompts: ReadonlySet<string>
  /** Seconds since the last proof of the person, at most. */
  readonly maxAge: number | undefined
  readonly acr: SessionNeeds['acr']
  /** An ID token of the person who is expected. */
  readonly hint: string | undefined
}

/** Why a request cannot go on, though its app and redirect URI are good. Each has its public error below. */
export type Problem =
  | 'too-long'
  | 'parameter-twice'
  | 'request-object'
  | 'request-uri'
  | 'no-response-type'
  | 'other-response-type'
  | 'other-response-mode'
  | 'no-challenge'
  | 'challenge-not-by-s256'
  | 'malformed-challenge'
  | 'none-beside-another-prompt'
  | 'malformed-max-age'
  | 'several-resources'
  | 'unknown-resource'
  | 'closed-resource'
  | 'unlisted-resource'
  | 'no-scope-left'
  | 'not-signed-in'
  | 'not-consented'
  | 'denied'
  | 'store-failed'
  | 'fault'

/** The error of a problem (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6; RFC 8707), and a sentence for developers. */
export interface PublicProblem {
  readonly error: string
  readonly error_description: string
}

/** The one place where private reasons become public words. The sentence quotes no part of the request. */
export function publicProblem(problem: Problem): PublicProblem {
  const say = (error: string, error_description: string) => ({ error, error_description })
  switch (problem) {
    case 'too-long':
      return say('invalid_request', 'The query has more than 2,048 characters.')
    case 'parameter-twice':
      return say('invalid_request', 'Send each parameter once.')
    case 'request-object':
      return say('request_not_supported', 'Send parameters, and no request object.')
    case 'request-uri':
      return say('request_uri_not_supported', 'Send parameters, and no request_uri.')
    case 'no-response-type':
      return say('invalid_request', 'response_type is missing. It is code.')
    case 'other-response-type':
      return say('unsupported_response_type', 'The only response_type is code.')
    case 'other-response-mode':
      return say('invalid_request', 'The only response_mode is query.')
    case 'no-challenge':
      return say('invalid_request', 'code_challenge is missing. PKCE is required (RFC 7636).')
    case 'challenge-not-by-s256':
      return say('invalid_request', 'code_challenge_method is S256.')
    case 'malformed-challenge':
      return say('invalid_request', 'code_challenge has 43 characters of base64url.')
    case 'none-beside-another-prompt':
      return say('invalid_request', 'prompt=none stands alone.')
    case 'malformed-max-age':
      return say('invalid_request', 'max_age is a whole number of seconds.')
    case 'several-resources':
      return say('invalid_target', 'Name one resource.')
    case 'unknown-resource':
      return say('invalid_target', 'There is no such resource.')
    case 'closed-resource':
      return say('invalid_target', 'Apps that are not registered cannot ask for this resource.')
    case 'unlisted-resource':
      return say('invalid_target', 'This resource is not one of the app.')
    case 'no-scope-left':
      return say('invalid_scope', 'The resource has none of the scopes.')
    case 'not-signed-in':
      return say('login_required', 'The person has to sign in.')
    case 'not-consented':
      return say('consent_required', 'The person has to be asked.')
    case 'denied':
      return say('access_denied', 'The person said no.')
    case 'store-failed':
      return say('temporarily_unavailable', 'Try again in a moment.')
    case 'fault':
      return say('server_error', 'The request could not be answered.')
  }
}

/** What judging a request comes to. */
export type Judgement =
  | { readonly kind: 'good'; readonly request: AuthorizationRequest }
  /** The app learns it. */
  | ({ readonly kind: 'refused'; readonly problem: Problem } & Answerable)
  /** The redirect URI is not the app's, so that nobody but the reader of a page learns it. */
  | { readonly kind: 'nowhere' }

/** Where an answer goes, and what it repeats. */
export type Answerable = Pick<AuthorizationRequest, 'redirectUri' | 'state'>

/** The parameters that count. Another one is ignored, however often it is there. */
const KNOWN = [
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'acr_values',
  'id_token_hint',
  'ui_locales',
  'request',
  'request_uri',
]

/** SHA-256 in base64url (RFC 7636, 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** A greater age means the same: thirty years. Seconds. */
const MAX_AGE = 1_000_000_000

/**
 * Judges the parameters of a request: first where its answer may go, then everything else.
 *
 * @param app the one that `client_id` names
 * @param isTooLong is the query longer than may be?
 */
export function judge(
  server: Server,
  issuer: string,
  app: App,
  parameters: Parameters,
  isTooLong: boolean,
): Judgement {
  const redirectUri = redirectUriIn(app, parameters)
  if (redirectUri === undefined) return { kind: 'nowhere' }
  // If two states were sent, nobody knows which one the app meant.
  const state = parameters.repeated.has('state') ? undefined : parameters.get('state')
  const found = isTooLong ? 'too-long' : read(server, issuer, app, parameters)
  if (typeof found === 'string') return { kind: 'refused', problem: found, redirectUri, state }
  return { kind: 'good', request: { ...found, app, redirectUri, state } }
}

function redirectUriIn(app: App, { get, repeated }: Parameters): RedirectUri | undefined {
  const text = repeated.has('redirect_uri') ? undefined : get('redirect_uri')
  return text === undefined ? undefined : registeredUri(app, text)
}

/** The rest, in the order in which a developer would mend it. */
function read(
  server: Server,
  issuer: string,
  app: App,
  parameters: Parameters,
): Omit<AuthorizationRequest, 'app' | keyof Answerable> | Problem {
  const { get, repeated } = parameters
  if (KNOWN.some((name) => repeated.has(name))) return 'parameter-twice'
  if (get('request') !== undefined) return 'request-object'
  if (get('request_uri') !== undefined) return 'request-uri'
  const type = get('response_type')
  if (type === undefined) return 'no-response-type'
  if (type !== 'code') return 'other-response-type'
  if ((get('response_mode') ?? 'query') !== 'query') return 'other-response-mode'
  const challenge = get('code_challenge')
  if (challenge === undefined) return 'no-challenge'
  if (get('code_challenge_method') !== 'S256') return 'challenge-not-by-s256'
  if (!CHALLENGE.test(challenge)) return 'malformed-challenge'
  const prompts = new Set(wordsIn(get('prompt')))
  if (prompts.has('none') && prompts.size > 1) return 'none-beside-another-prompt'
  const age = get('max_age')
  if (age !== undefined && !/^\d+$/.test(age)) return 'malformed-max-age'
  const resource = resourceIn(server, issuer, app, parameters)
  if (typeof resource === 'object') return resource.problem
  if (app.host !== undefined && !server.resources.get(resource)?.isOpen) return 'closed-resource'
  const scopes = grantableScopes(server, app, resource, get('scope'))
  if (typeof scopes === 'string') return scopes
  return {
    challenge,
    resource,
    scopes,
    prompts,
    maxAge: age === undefined ? undefined : Math.min(Number(age), MAX_AGE),
    // The first one that means anything here is the preferred one (OpenID Connect Core, 3.1.2.1).
    acr: wordsIn(get('acr_values')).find((one) => one === '1' || one === '2'),
    nonce: get('nonce'),
    hint: get('id_token_hint'),
  }
}

/** The one resource of a request (RFC 8707, section 2). If the app may ask for several, the request names one. */
export function resourceIn(
  server: Server,
  issuer: string,
  app: Pick<App, 'isFirstParty' | 'isMachine' | 'resources'>,
  { get, repeated }: Parameters,
): string | { readonly problem: Problem } {
  if (repeated.has('resource')) return { problem: 'several-resources' }
  const named = get('resource')
  if (named === undefined) {
    const [only, ...others] = resourcesFor(server, app)
    return only !== undefined && others.length === 0 ? only : issuer
  }
  if (named === issuer) return named
  if (!server.resources.has(named)) return { problem: 'unknown-resource' }
  return mayAskFor(app, named) ? named : { problem: 'unlisted-resource' }
}

/** The scopes that may be granted for a resource, in the order asked, each once. The others are ignored. */
export function grantableScopes(
  server: Server,
  app: Pick<App, 'isFirstParty' | 'isMachine' | 'resources'>,
  resource: string,
  scope: string | undefined,
): readonly string[] | 'no-scope-left' {
  const asked = wordsIn(scope)
  const scopes = [...new Set(asked)].filter(
    (one) => OPENID_SCOPES.includes(one) || mayHave(server, app, resource, one),
  )
  return asked.length > 0 && scopes.length === 0 ? 'no-scope-left' : scopes
}

function wordsIn(text = ''): string[] {
  return text.split(' ').filter(Boolean)
}
