import { OAUTH_ROUTES } from './oauth-routes.ts'
import {
  answer,
  BODY_FAILURES,
  FAILURES,
  jsonOrPlain,
  notFound,
  ownList,
  type Responses,
  response,
  STORE_FAILURES,
} from './responses.ts'
import { closed, described, list, number, object, oneOf, ref, type Schema, text } from './schema.ts'

/** What an operation takes and answers. */
export interface Operation {
  readonly summary: string
  readonly parameters?: readonly object[]
  /** Without `form` the body is JSON; with it a form too, or alone. */
  readonly body?: { readonly schema: Schema; readonly types: readonly string[] }
  /** What proves who asks. Left out: anybody may ask. */
  readonly security?: 'session' | 'accessToken' | 'client' | 'import' | 'operatorKey'
  readonly responses: Responses
}

/** The operations of a path. */
export type Operations = Readonly<Partial<Record<'GET' | 'POST', Operation>>>

const FORM = 'application/x-www-form-urlencoded'
const JSON_OR_FORM = ['application/json', FORM]

function query(name: string, schema: Schema, description: string): object {
  return { name, in: 'query', schema, description }
}

function header(name: string, description: string, required = false): object {
  return { name, in: 'header', schema: text, description, required }
}

const proofHeader = header('Secure-Session-Response', 'The proof, a JWT of `typ` `dbsc+jwt`.')
const wrongProof = object({ error: { const: 'InvalidCheck' } })
const PROOF_FAILURES: Responses = {
  '500': response('Misconfigured'),
  '503': response('Unavailable'),
}

const csrfToken = described(text, 'The token of `GET /csrf`, with the cookie that it sets.')

/** Every route that always answers JSON, by the path in the tables of routes. A test names one that is missing here. */
export const DATA_ROUTES: Readonly<Record<string, Operations>> = {
  '/csrf': {
    GET: {
      summary: 'The CSRF token of this browser, and its cookie',
      responses: { '200': answer('The token.', ref('Csrf')), ...FAILURES },
    },
  },
  '/providers': {
    GET: {
      summary: 'The providers that a user can sign in with, by their ids',
      responses: { '200': answer('The providers.', ref('Providers')), ...FAILURES },
    },
  },
  '/health': {
    GET: {
      summary: 'Does the store answer?',
      responses: {
        '200': answer('It does.', object({ status: { const: 'ok' } })),
        '503': answer(
          'It has not answered within two seconds.',
          object({ status: { const: 'unavailable' } }),
        ),
        ...FAILURES,
      },
    },
  },
  '/session': {
    GET: {
      summary: 'The session of this browser, or null; renews its token when that is due',
      security: 'session',
      parameters: [
        query('online', { const: '1' }, 'Ask the ledger whether the session has ended.'),
      ],
      responses: {
        '200': answer('The session, or null.', orSession(), {
          'X-Auth-Moves-In': 'Beside null: the app should ask for an old session.',
        }),
        ...STORE_FAILURES,
      },
    },
    POST: {
      summary: 'Change the session by your `jwt` and `session` callbacks',
      security: 'session',
      body: {
        schema: object({ csrfToken, 'data?': {}, 'refresh?': { type: 'boolean' } }),
        types: JSON_OR_FORM,
      },
      responses: {
        '200': answer('The session, or null.', orSession()),
        '403': response('WrongCsrf'),
        ...BODY_FAILURES,
        ...STORE_FAILURES,
      },
    },
  },
  '/jwks.json': {
    GET: {
      summary: 'The public keys of session tokens',
      responses: { '200': answer('The keys.', ref('Jwks')), ...FAILURES },
    },
  },
  '/sessions': { GET: ownList('The sessions of the user', 'sessions', 'OwnSession') },
  '/revocations': {
    GET: {
      summary: 'The sessions that ended lately, signed (docs/revocation-feed.md)',
      parameters: [
        query('since', number, 'Seconds since the epoch.'),
        query('pages', { const: '1' }, 'Answer in pages.'),
        query('of', text, 'Names of sessions, one after the other: ask about these alone.'),
      ],
      responses: {
        '200': {
          description: 'A JWT, which a key of `/jwks.json` verifies.',
          content: { 'application/jwt': { schema: text } },
        },
        ...STORE_FAILURES,
      },
    },
  },
  '/backchannel-logout/:provider': {
    POST: {
      summary: 'A company ends sessions of its people (OpenID Connect Back-Channel Logout 1.0)',
      body: { schema: object({ logout_token: text }), types: [FORM] },
      responses: {
        '200': { description: 'They have ended, or were over. The body is empty.' },
        '404': response('NotFound'),
        ...STORE_FAILURES,
        '400': response('OAuthRefused'),
      },
    },
  },
  '/ways': { GET: ownList('The ways by which the user signs in', 'ways', 'OwnWay') },
  '/passkey/options': {
    POST: {
      summary: 'Begin a ceremony of WebAuthn',
      body: {
        schema: object({
          csrfToken,
          for: oneOf('sign-in', 'sign-up', 'add'),
          'mediation?': oneOf('conditional'),
          'name?': text,
          'callbackUrl?': text,
          'maxAge?': {},
          'acr?': text,
        }),
        types: JSON_OR_FORM,
      },
      responses: {
        '200': answer(
          'The options, and a flow cookie.',
          object({ publicKey: { type: 'object', additionalProperties: true } }),
        ),
        '401': answer('The user has to sign in, or to sign in again.', {
          anyOf: [ref('SignedOut'), ref('FreshSignInRequired')],
        }),
        '403': response('WrongCsrf'),
        '404': notFound('There is no such route, or no such ceremony.', ref('Failure')),
        '429': response('TooMany'),
        ...BODY_FAILURES,
        ...STORE_FAILURES,
        '400': jsonOrPlain('The body is malformed, or not one of a ceremony.', ref('Failure')),
      },
    },
  },
  '/import': {
    POST: {
      summary: 'Bring accounts of another library, until `AUTH_IMPORT_UNTIL` (docs/import.md)',
      security: 'import',
      body: {
        schema: closed({
          accounts: list({ type: 'array', items: text, minItems: 3, maxItems: 5 }),
        }),
        types: ['application/json'],
      },
      responses: {
        '200': answer(
          'What became of the accounts: `left` has their places in the list, and the reason.',
          object({
            added: number,
            known: number,
            left: list({
              type: 'array',
              prefixItems: [number, text],
              minItems: 2,
              maxItems: 2,
            }),
          }),
        ),
        '401': answer('The signature does not count.', ref('ImportRefused')),
        '404': response('NotFound'),
        '408': response('TooSlow'),
        '413': response('TooLong'),
        '409': answer('The service has no passwords for these addresses.', ref('ImportRefused')),
        '426': answer('The command is too old.', ref('ImportRefused')),
        ...STORE_FAILURES,
      },
    },
  },
  '/bound/register': {
    POST: {
      summary: 'A browser registers the key of a session: no app calls it (docs/bound-sessions.md)',
      parameters: [proofHeader],
      responses: {
        '200': answer('How the browser renews the session, and the cookie.', ref('BoundSession'), {
          'Secure-Session-Challenge': 'The challenge of the next proof.',
        }),
        '400': jsonOrPlain('It is wrong, for whichever reason.', wrongProof),
        '403': answer('It comes from another site.', object({ error: { const: 'MissingCSRF' } })),
        '404': response('NotFound'),
        ...PROOF_FAILURES,
      },
    },
  },
  '/bound/refresh': {
    POST: {
      summary: 'A browser proves the key of a session, and gets the next token: no app calls it',
      parameters: [
        header('Sec-Secure-Session-Id', 'The identifier of the session.', true),
        proofHeader,
      ],
      responses: {
        '200': {
          description:
            'The cookie, and how the browser renews the session; empty if nothing is known of it now.',
          content: {
            'application/json': {
              schema: { anyOf: [ref('BoundSession'), object({ continue: { const: false } })] },
            },
          },
          headers: {
            'Secure-Session-Challenge': {
              description: 'The challenge of the next proof.',
              schema: text,
            },
          },
        },
        '400': jsonOrPlain('It is wrong.', wrongProof),
        '401': answer('The session is over.', object({ continue: { const: false } })),
        '403': {
          description: 'Prove the key with this challenge.',
          headers: {
            'Secure-Session-Challenge': { description: 'The challenge.', schema: text },
          },
        },
        ...PROOF_FAILURES,
      },
    },
  },
  ...OAUTH_ROUTES,
}

function orSession(): Schema {
  return { anyOf: [ref('Session'), { type: 'null' }] }
}

/** Routes below the origin, and not below the base path. */
export const ROOT_ROUTES: Readonly<Record<string, Operations>> = {
  '/.well-known/device-bound-sessions': {
    GET: {
      summary: 'The hosts that may bind the sessions of this whole site',
      responses: {
        '200': answer('The origins.', object({ registering_origins: list(text) })),
        '404': response('NotFound'),
        '400': response('Malformed'),
        '500': response('Misconfigured'),
      },
    },
  },
  '/.well-known/passkey-endpoints': {
    GET: {
      summary: 'The page on which users add and remove passkeys',
      responses: {
        '200': answer('Its address, for both.', object({ enroll: text, manage: text })),
        '404': response('NotFound'),
        '400': response('Malformed'),
        '500': response('Misconfigured'),
      },
    },
  },
  '/.well-known/webauthn': {
    GET: {
      summary: 'The other origins that may use the passkeys of this one',
      responses: {
        '200': answer('The origins.', object({ origins: list(text) })),
        '404': response('NotFound'),
        '400': response('Malformed'),
        '500': response('Misconfigured'),
      },
    },
  },
}
