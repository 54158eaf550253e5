import {
  described,
  flag,
  list,
  number,
  object,
  oneOf,
  orNull,
  ref,
  type Schema,
  text,
  time,
  url,
} from './schema.ts'

const day = described(time, 'To the day.')

/** A session, without what tells which one asks. */
const session = {
  id: described(text, 'Names the session, and opens nothing.'),
  provider: text,
  'company?': described(text, 'The id of the company that signed the user in.'),
  device: described(text, 'Such as `Firefox on Windows`.'),
  place: orNull(text),
  created: time,
  lastUsed: time,
  expires: time,
  'bound?': described(flag, 'Is it bound to its device? Left out if the service binds none.'),
}

const way = {
  id: described(text, 'It does not change, and opens nothing.'),
  provider: text,
  name: orNull(described(text, 'The name at the provider, or the address with most of it hidden.')),
  added: orNull(time),
  lastUsed: orNull(day),
}

const current = described(flag, 'Is it the one that asks, or by which that one began?')

const head = object({ seq: number, hash: orNull(text), time: orNull(time) })

/** Schemas that several routes have, or that a program wants by their name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  Malformed: object({ error: oneOf('Configuration', 'BadRequest'), message: text }),
  ImportRefused: object({ error: { const: 'ImportRefused' }, reason: text, 'origin?': url }),
  Failure: object({
    error: described(text, 'A word of docs/errors.md.'),
    'code?': text,
    'message?': text,
    'reference?': described(text, 'The line of the log that says why has it too.'),
    'url?': described(text, 'The page that shows it, for `X-Auth-Return-Redirect: 1`.'),
  }),
  SignedOut: object({ error: { const: 'SignedOut' } }),
  FreshSignInRequired: object({
    error: { const: 'FreshSignInRequired' },
    'maxAge?': number,
    'acr?': text,
    url: described(text, 'The page at which the user signs in again.'),
  }),
  Redirect: object({ url: described(text, 'Where a browser would be redirected.') }),
  Csrf: object({ csrfToken: text }),
  Session: {
    ...object({
      'user?': {
        ...object({
          'id?': text,
          'name?': orNull(text),
          'email?': orNull(text),
          'image?': orNull(text),
        }),
        additionalProperties: true,
      },
      expires: time,
      'company?': described(text, 'The id of the company that signed the user in.'),
      'bound?': { const: true },
    }),
    description: 'As your callbacks made it: with further members of your own.',
    additionalProperties: true,
  },
  Providers: {
    type: 'object',
    additionalProperties: object({
      id: text,
      name: text,
      type: oneOf('oauth', 'oidc', 'email', 'credentials', 'webauthn', 'password'),
      signinUrl: url,
      callbackUrl: url,
    }),
  },
  Jwks: {
    ...object({
      keys: list({
        type: 'object',
        required: ['kty', 'kid', 'alg'],
        properties: { kty: text, kid: text, alg: text, use: text },
        additionalProperties: text,
      }),
    }),
    description: 'Public keys (RFC 7517).',
  },
  OwnSession: object({ ...session, current }),
  BoundSession: object(
    {
      session_identifier: text,
      refresh_url: text,
      scope: object({ origin: url, include_site: flag, scope_specification: list({}) }),
      credentials: list(object({ type: { const: 'cookie' }, name: text, attributes: text })),
      allowed_refresh_initiators: list(text),
    },
    'Session instructions of Device Bound Session Credentials.',
  ),
  ListedSession: object(session),
  OwnWay: object({ ...way, current }),
  ListedWay: object(way),
  ListedApp: object({
    app: described(text, 'Its `client_id`.'),
    name: text,
    host: orNull(text),
    resource: described(text, 'The `aud` of its access tokens.'),
    scopes: list(text),
    offline: flag,
    added: time,
    lastUsed: time,
    'company?': text,
  }),
  ListedKey: object({
    id: text,
    name: text,
    start: described(text, 'The prefix and four characters.'),
    resource: text,
    scopes: list(text),
    created: time,
    expires: time,
    lastUsed: orNull(day),
  }),
  Factor: object({ type: { const: 'totp' }, added: time, recoveryCodes: number }),
  ExportedPerson: object({
    sub: text,
    sessions: list(
      object({
        ...session,
        'user?': object({ name: orNull(text), email: orNull(text), image: orNull(text) }),
      }),
    ),
    ways: list(ref('ListedWay')),
    connections: list(object({ provider: text, scope: orNull(text), since: time })),
    passkeys: list(
      object({
        id: text,
        name: orNull(text),
        added: orNull(time),
        lastUsed: orNull(day),
        backupEligible: flag,
        backedUp: flag,
        aaguid: text,
        transports: list(text),
      }),
    ),
    factors: list(ref('Factor')),
    apps: list(ref('ListedApp')),
    keys: list(ref('ListedKey')),
    'password?': ref('Password'),
    'blocked?': ref('Blocked'),
  }),
  Password: object({ since: time }),
  Blocked: orNull(object({ since: time, reason: orNull(text) })),
  PersonSummary: object({
    sub: text,
    blocked: ref('Blocked'),
    sessions: number,
    ways: number,
    connections: number,
    factors: list(ref('Factor')),
    'password?': ref('Password'),
  }),
  AuditRecord: object(
    {
      id: described(text, '`<chain>_<seq>`.'),
      chain: text,
      seq: number,
      time,
      event: text,
      'person?': described(text, 'The digest of the person, as in the lines of the log.'),
      'claimed?': text,
      'into?': text,
      'provider?': text,
      'which?': text,
      'by?': text,
      'error?': text,
      'code?': text,
      'reference?': text,
      'count?': number,
      'wait?': number,
      'operator?': text,
      'method?': text,
      'reason?': text,
      'device?': text,
      'place?': text,
      'network?': text,
      prev: orNull(text),
      hash: text,
    },
    'A record of the audit log (docs/audit.md).',
  ),
  DamagedRow: object({ id: text, chain: text, seq: number, damaged: { const: true } }),
  AuditPage: object({
    records: list({ anyOf: [ref('AuditRecord'), ref('DamagedRow')] }),
    next: orNull(described(text, '`after` of the next page. Only null is the end.')),
  }),
  FoundPerson: object({ sub: orNull(text), next: orNull(text) }),
  AuditHeads: object({ days: number, chains: list(object({ chain: text, floor: head, head })) }),
  Webhooks: object({
    waiting: number,
    failed: list(
      object({ id: text, event: text, time, tries: number, last: text, next: orNull(time) }),
    ),
  }),
  OAuthError: object({ error: text, 'error_description?': text }),
  Tokens: object(
    {
      access_token: text,
      token_type: { const: 'Bearer' },
      expires_in: number,
      'scope?': text,
      'refresh_token?': text,
      'id_token?': text,
      'issued_token_type?': text,
      'resource?': url,
    },
    'RFC 6749, section 5.1; of an API key RFC 8693, section 2.2.1; of an ID-JAG with its `resource`.',
  ),
}
