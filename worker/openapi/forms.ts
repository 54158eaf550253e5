import { answer, BODY_FAILURES, response, STORE_FAILURES } from './responses.ts'
import type { Operation } from './routes.ts'
import { described, object, type Schema, text } from './schema.ts'

const JSON_OR_FORM = ['application/json', 'application/x-www-form-urlencoded']

const HEADER = {
  name: 'X-Auth-Return-Redirect',
  in: 'header',
  required: true,
  schema: { const: '1' },
  description: 'Answer in JSON. Without it the answer is a redirect or a page.',
}

const token = described(text, 'The token of `GET /csrf`, with the cookie that it sets.')

/** A form, which answers a script in JSON. */
function form(
  summary: string,
  fields: Readonly<Record<string, Schema>> = {},
  more?: Readonly<Record<string, Schema>>,
): Operation {
  const schema = object({ csrfToken: token, 'callbackUrl?': text, ...fields })
  return {
    summary,
    parameters: [HEADER],
    body: { schema: { ...schema, additionalProperties: true }, types: JSON_OR_FORM },
    responses: {
      '200': more
        ? answer('It is done.', object({ url: described(text, 'Where to go.'), ...more }))
        : response('Done'),
      '401': response('FormUnproved'),
      '403': response('FormDenied'),
      '404': response('FormNotFound'),
      '429': response('TooMany'),
      ...BODY_FAILURES,
      ...STORE_FAILURES,
      '400': response('FormMalformed'),
    },
  }
}

const codes = { 'recoveryCodes?': { type: 'array', items: text } }

/** Every form of the service whose answer is JSON if a script asks for that. */
export const FORMS: Readonly<Record<string, Operation>> = {
  '/signin/:provider': form('Begin a sign-in', { 'email?': text, 'maxAge?': {}, 'acr?': text }),
  '/callback/:provider': form('Finish a sign-in by a password, a code or a passkey'),
  '/signout': form('Sign out'),
  '/sessions/revoke': form('End sessions of the user', {
    session: described(text, 'An id of `GET /sessions`, `others` or `all`.'),
  }),
  '/ways/add': form('Add a way to sign in', { provider: text, 'email?': text, 'scope?': text }),
  '/ways/remove': form('Remove a way to sign in', { way: text }),
  '/ways/rename': form('Rename a passkey', { way: text, name: text }),
  '/ways/confirm': form('Confirm a way to sign in', { way: text }),
  '/password/set': form('Set or change the password', { password: text, 'current?': text }),
  '/password/remove': form('Remove the password', { 'current?': text }),
  '/company/join': form('Say if the person of a company has an account here', {
    choice: described(text, '`new`, or the id of a provider.'),
    'flow?': text,
  }),
  '/factor': form('Send the code of a second factor', { code: text }),
  '/factor/setup': form('Set up a second factor', { code: text }, codes),
  '/factor/recovery': form('Make new recovery codes', {}, codes),
  '/factor/remove': form('Remove the second factor'),
  '/factor/confirm': form('Confirm the second factor'),
  '/account/delete': form('Delete all data of the user'),
  '/apps/remove': form('End all that an app may do', { app: text }),
  '/keys/create': form(
    'Make an API key',
    { name: text, 'resource?': text, scope: {}, 'days?': {} },
    { 'id?': text, 'key?': text },
  ),
  '/keys/remove': form('End an API key', { key: text }),
}

/** Routes that show a page or redirect a browser, and never answer JSON. */
export const PAGES: ReadonlySet<string> = new Set([
  'GET /signin',
  'GET /callback/:provider',
  'GET /signout',
  'GET /error',
  'GET /password',
  'GET /passkey/offer',
  'GET /company/join',
  'GET /initiate/:provider',
  'POST /initiate/:provider',
  'GET /verify-request',
  'GET /renew',
  'GET /factor',
  'GET /factor/setup',
  'GET /account',
  'GET /account/sessions',
  'GET /account/ways',
  'GET /account/security',
  'GET /account/:provider',
  'GET /oauth/authorize',
  'POST /oauth/authorize',
  'POST /oauth/consent',
  'GET /oauth/end-session',
  'POST /oauth/end-session',
  'GET /device',
  'POST /device',
])
