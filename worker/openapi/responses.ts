import { list, object, ref, type Schema, text } from './schema.ts'

/** The answers of an operation, by their status. */
export type Responses = Readonly<Record<string, object>>

/** A JSON answer. @param headers by their name, with what they say */
export function answer(
  description: string,
  schema: Schema,
  headers: Readonly<Record<string, string>> = {},
): object {
  const response = { description, content: { 'application/json': { schema } } }
  const entries = Object.entries(headers)
  if (entries.length === 0) return response
  const said = entries.map(([name, description]) => [name, { description, schema: text }])
  return { ...response, headers: Object.fromEntries(said) }
}

/** JSON, or a plain text for a request that is not of JSON. */
export function jsonOrPlain(description: string, schema: Schema): object {
  const content = { 'application/json': { schema }, 'text/plain': { schema: text } }
  return { description, content }
}

/** The answer without a route: a page for a person. @param json what a script gets, if that is JSON */
export function notFound(description: string, json?: Schema): object {
  const own = json ? { 'application/json': { schema: json } } : {}
  const content = { ...own, 'text/plain': { schema: text }, 'text/html': { schema: text } }
  return { description, content }
}

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const malformed = (description: string) => jsonOrPlain(description, schema('Malformed'))
const failure = (description: string) => answer(description, schema('Failure'))
/** An error of the operator API, which has its word alone. */
function operator(description: string, words: string | string[], headers = {}): object {
  const error = Array.isArray(words) ? { enum: words } : { const: words }
  const schema = { type: 'object', properties: { error }, required: ['error'] }
  return answer(description, schema, headers)
}

const waiting = { 'Retry-After': 'Seconds.' }

/** Answers that several operations have. */
export const RESPONSES = {
  Malformed: malformed('The request names a host that is not known, or is malformed.'),
  SignedOut: answer('No user is signed in.', schema('SignedOut')),
  WrongCsrf: failure('The CSRF token is not that of this browser.'),
  NotFound: notFound('There is no such route: its feature is off.'),
  FormNotFound: notFound('There is no such route: its feature is off.', schema('Malformed')),
  TooSlow: malformed('The body came too slowly.'),
  TooLong: malformed('The body has more than 64 KiB.'),
  WrongType: malformed('The body is neither a form nor JSON.'),
  TooMany: answer('Too many attempts.', schema('Failure'), waiting),
  Misconfigured: jsonOrPlain(
    'The configuration is wrong; the log of the service says why.',
    schema('Failure'),
  ),
  Unavailable: failure('A store does not answer: send the same request again.'),
  OAuthRefused: jsonOrPlain(
    'The request is wrong (RFC 6749, section 5.2), or names a host that is not known.',
    schema('OAuthError'),
  ),
  OAuthUnproved: answer('The client does not prove itself.', schema('OAuthError'), {
    'WWW-Authenticate': 'The scheme, if the request had an Authorization header.',
  }),
  OAuthTooMany: answer('Too many attempts.', schema('OAuthError'), waiting),
  OAuthUnavailable: answer('Send the same request again.', schema('OAuthError'), waiting),
  FormUnproved: answer('The user has to sign in, or to sign in again, or typed something wrong.', {
    anyOf: [schema('SignedOut'), schema('FreshSignInRequired'), schema('Failure')],
  }),
  FormDenied: failure('It is refused.'),
  FormMalformed: failure('It is malformed, or the flow is over.'),
  Done: answer('It is done, or goes on at this address.', schema('Redirect')),
  OperatorMalformed: jsonOrPlain(
    'The body is malformed, or the request names a host that is not known.',
    schema('Malformed'),
  ),
  OperatorKeyRequired: operator('No key, or none that is known here.', 'OperatorKeyRequired', {
    'WWW-Authenticate': 'Bearer',
  }),
  ScopeRequired: answer('The key may only read.', {
    type: 'object',
    properties: { error: { const: 'ScopeRequired' }, scope: { const: 'manage' } },
    required: ['error', 'scope'],
  }),
  OperatorNotFound: notFound('There is no operator API here, or it lacks the method.', {
    type: 'object',
    properties: { error: { const: 'NotFound' } },
    required: ['error'],
  }),
  OperatorTooSlow: answer('The body came too slowly.', schema('Malformed')),
  OperatorTooLong: answer('The body has more than 64 KiB.', schema('Malformed')),
  OperatorWrongType: answer('The body is not JSON.', schema('Malformed')),
  OperatorTooMany: operator(
    'Too many wrong keys of this network, or by `refreshClaims` too many people within minutes.',
    ['TooManyAttempts', 'TooManyRefreshes'],
    waiting,
  ),
  OperatorUnavailable: operator('A store does not answer: call it again.', 'Unavailable'),
} satisfies Responses

export function response(name: keyof typeof RESPONSES): object {
  return { $ref: `#/components/responses/${name}` }
}

/** What each route answers if the service is not well. */
export const FAILURES: Responses = {
  '400': response('Malformed'),
  '500': response('Misconfigured'),
}

/** The same of a route that asks a store. */
export const STORE_FAILURES: Responses = { ...FAILURES, '503': response('Unavailable') }

/** What a body may be refused for. */
export const BODY_FAILURES: Responses = {
  '408': response('TooSlow'),
  '413': response('TooLong'),
  '415': response('WrongType'),
}

/** The operation of a list of the signed-in user. */
export function ownList(summary: string, member: string, item: string) {
  return {
    summary,
    security: 'session' as const,
    responses: {
      '200': answer('The list.', object({ [member]: list(ref(item)) })),
      '401': response('SignedOut'),
      '404': response('NotFound'),
      ...STORE_FAILURES,
    },
  }
}
