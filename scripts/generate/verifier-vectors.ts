import { crc32 } from 'node:zlib'
import {
  bytes32,
  ed25519,
  encoded,
  numberOf,
  P256_ORDER,
  p256,
  rsa,
  type Signer,
  signed,
} from './signer.ts'

/** One question to a verifier, and its answer. Times are seconds since the epoch. */
export interface Vector {
  /** What it is about; with an `asked` it is unique. */
  readonly clause: string
  readonly name: string
  readonly asked: Question
  readonly is: unknown
}

/** Each kind has the same meaning in every language: verifiers/README.md says which. */
export type Question =
  | { kind: 'cookie'; header: string; name: string }
  | { kind: 'api-key'; text: string }
  | { kind: 'acr'; amr: readonly string[] }
  | { kind: 'jwks'; text: string; access: boolean }
  | { kind: 'session'; token: string; keys: string; now: number; issuer?: string }
  | { kind: 'feed'; text: string; keys: string; of?: string }
  | ({ kind: 'access'; keys: string } & Presented)
  | { kind: 'read-session'; cookie: string; service: Service; now: number; issuer?: string }
  | ({ kind: 'read-token'; service: Service } & Presented)

interface Presented {
  readonly authorization: string | null
  readonly now: number
  readonly scope?: string
  readonly maxAge?: number
  readonly acr?: string
  readonly audience?: string
  readonly machine?: boolean | 'only'
}

/**
 * The answers of the service by path and query; any other path is 404. `/jwks.json` and `/oauth/jwks.json` answer the sets
 * `session` and `access`, unless they are null here.
 */
type Service = Readonly<Record<string, string | null>>

const SECRET = 'known-answer-secret-0123456789abcdef'
const FORMER = 'known-answer-former-0123456789abcdef'
const SESSION_INFO = 'latchkey/session/ed25519/v1'

/** The keys by which vectors, and cases made up beside them, are signed. */
export const signers = {
  session: ed25519(SECRET, SESSION_INFO),
  former: ed25519(FORMER, SESSION_INFO),
  stranger: ed25519('known-answer-stranger-0123456789abc', SESSION_INFO),
  access: ed25519(SECRET, 'latchkey/access/ed25519/v1'),
  es256: p256(SECRET),
  rs256: rsa(),
}

/** The issuer, the audience and the clock of every question that does not name others. */
export const ISSUER = 'https://example.com/auth'
export const AUDIENCE = 'https://api.example.com/'
const IAT = 1_800_000_000
export const NOW = IAT + 100
const NAME = '__Host-auth.session-token'

const jwksOf = (...keys: Signer[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })

/** JWKS documents by name. */
export const jwks: Readonly<Record<string, string>> = {
  session: jwksOf(signers.session, signers.former),
  access: jwksOf(signers.access, signers.es256, signers.rs256),
}

export const sessionClaims = {
  iss: ISSUER,
  sub: 'user-1',
  pid: 'vnRoWuVXl7Hl',
  sid: 'AAECAwQFBgcICQoLDA0ODw',
  iat: IAT,
  exp: IAT + 300,
  auth_time: IAT,
  sexp: IAT + 2_592_000,
  amr: ['videoapp'],
  session: { user: { name: 'Ann', email: null, image: null } },
}

export const accessClaims = {
  iss: ISSUER,
  sub: 'user-1',
  aud: AUDIENCE,
  client_id: 'notes',
  iat: IAT,
  exp: IAT + 300,
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  auth_time: IAT,
  acr: '1',
  scope: 'notes:read notes:write',
  grant: 'EBESExQVFhcYGRobHB0eHw',
  began: IAT,
  pid: 'vnRoWuVXl7Hl',
  sid: 'ICEiIyQlJicoKSorLC0uLw',
}

const machineClaims = {
  iss: ISSUER,
  sub: 'machine:deploys',
  aud: AUDIENCE,
  client_id: 'deploys',
  iat: IAT,
  exp: IAT + 300,
  jti: 'AAECAwQFBgcICQoLDA0ODw',
  scope: 'notes:read',
  began: IAT,
  pid: 'mmmmmmmmmmmm',
  machine: true,
}

export const feedContent = {
  iss: ISSUER,
  sids: [] as string[],
  users: [],
  cutoffs: [] as object[],
  since: 0,
  next: NOW,
  window: 300,
}

export const headerOf = (by: Signer, typ: string) => ({ alg: by.alg, typ, kid: by.kid })

/** A session token. A claim that is `undefined` is left out. */
export function sessionToken(changes: object | string = {}, by = signers.session): string {
  const claims = typeof changes === 'string' ? changes : { ...sessionClaims, ...changes }
  return signed(headerOf(by, 'session+jwt'), claims, by)
}

export function accessToken(changes: object | string = {}, by: Signer = signers.access): string {
  const claims = typeof changes === 'string' ? changes : { ...accessClaims, ...changes }
  return signed(headerOf(by, 'at+jwt'), claims, by)
}

export function feedText(changes: object = {}, by = signers.session): string {
  const typ = 'of' in changes ? 'revocations-of+jwt' : 'revocations+jwt'
  return signed(headerOf(by, typ), { ...feedContent, ...changes }, by)
}

/** The whole file. */
export function verifierVectors(): string {
  const cases = [
    ...ofForms(),
    ...ofHeaders(),
    ...ofSessionClaims(),
    ...ofSessionTimes(),
    ...ofAccessTokens(),
    ...ofMachines(),
    ...ofNeeds(),
    ...ofCookies(),
    ...ofKeys(),
    ...ofApiKeys(),
    ...ofStrength(),
    ...ofFeeds(),
    ...ofEndings(),
    ...ofBoundSessions(),
    ...ofEndedGrants(),
  ]
  const lines = cases.map((one) => `    ${JSON.stringify(one)}`)
  const sets = Object.entries(jwks).map(
    ([name, text]) => `    ${JSON.stringify(name)}: ${JSON.stringify(text)}`,
  )
  return [
    '{',
    `  "issuer": "${ISSUER}",`,
    `  "audience": "${AUDIENCE}",`,
    '  "jwks": {',
    sets.join(',\n'),
    '  },',
    '  "vectors": [',
    lines.join(',\n'),
    '  ]',
    '}',
    '',
  ].join('\n')
}

type Row = [name: string, token: string, is: string, now?: number]

function sessions(clause: string, rows: readonly Row[]): Vector[] {
  return rows.map(([name, token, is, now = NOW]) => ({
    clause,
    name,
    asked: { kind: 'session', token, keys: 'session', now },
    is,
  }))
}

function accesses(clause: string, rows: readonly Row[], more: object = {}): Vector[] {
  return rows.map(([name, token, is, now = NOW]) => ({
    clause,
    name,
    asked: { kind: 'access', authorization: `Bearer ${token}`, keys: 'access', now, ...more },
    is,
  }))
}

function ofForms(): Vector[] {
  const token = sessionToken()
  const [header = '', payload = '', signature = ''] = token.split('.')
  const last = signature.at(-1) ?? ''
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const other = alphabet[alphabet.indexOf(last) + 1] ?? ''
  return sessions('§5 one spelling', [
    ['a good token', token, 'live'],
    ['no text', '', 'not-a-jws'],
    ['two parts', `${header}.${payload}`, 'not-a-jws'],
    ['four parts', `${token}.${signature}`, 'not-a-jws'],
    ['an empty signature', `${header}.${payload}.`, 'not-canonical'],
    ['an empty header', `.${payload}.${signature}`, 'not-canonical'],
    ['padding', `${token}==`, 'not-canonical'],
    ['a space behind', `${token} `, 'not-canonical'],
    ['a line break behind', `${token}\n`, 'not-canonical'],
    ['a space before', ` ${token}`, 'not-canonical'],
    ['another last character of the same signature', token.slice(0, -1) + other, 'not-canonical'],
    ['the alphabet of base64', `${header}.${payload}.${'+'.repeat(85)}A`, 'not-canonical'],
    ['a signature of all zeros', `${header}.${payload}.${'A'.repeat(86)}`, 'bad-signature'],
    ['a digit that is not of ASCII', `${header}.${payload}.${'٣'.repeat(85)}A`, 'not-canonical'],
    [
      'a token that is too long',
      sessionToken({ session: { text: 'a'.repeat(48_800) } }),
      'not-a-jws',
    ],
  ])
}

function ofHeaders(): Vector[] {
  const by = signers.session
  const good = headerOf(by, 'session+jwt')
  const withHeader = (header: object | string, key = by) => signed(header, sessionClaims, key)
  const text = JSON.stringify(good)
  return sessions('§5 header', [
    ['members in another order', withHeader({ kid: by.kid, typ: good.typ, alg: good.alg }), 'live'],
    ['spaces between members', withHeader(JSON.stringify(good, null, 2)), 'live'],
    ['a typ in escapes', withHeader(text.replace('session', '\\u0073ession')), 'live'],
    ['a former key that is still published', sessionToken({}, signers.former), 'live'],
    ['an access token', signed({ ...good, typ: 'at+jwt' }, sessionClaims, by), 'header'],
    ['a feed', signed({ ...good, typ: 'revocations+jwt' }, sessionClaims, by), 'header'],
    ['another case of typ', withHeader({ ...good, typ: 'Session+JWT' }), 'header'],
    ['a media type', withHeader({ ...good, typ: 'application/session+jwt' }), 'header'],
    ['no typ', withHeader({ alg: good.alg, kid: by.kid }), 'header'],
    ['alg none', withHeader({ ...good, alg: 'none' }), 'header'],
    ['alg Ed25519', withHeader({ ...good, alg: 'Ed25519' }), 'header'],
    ['alg ES256', withHeader({ ...good, alg: 'ES256' }), 'header'],
    ['alg HS256', withHeader({ ...good, alg: 'HS256' }), 'header'],
    ['alg in a list', withHeader({ ...good, alg: ['EdDSA'] }), 'header'],
    ['no kid', withHeader({ alg: good.alg, typ: good.typ }), 'header'],
    ['a kid that is a number', withHeader({ ...good, kid: 1 }), 'header'],
    ['a key of its own', withHeader({ ...good, jwk: by.jwk }), 'header'],
    ['crit', withHeader({ ...good, crit: [] }), 'header'],
    ['b64', withHeader({ ...good, b64: true }), 'header'],
    ['a member named __proto__', withHeader(text.replace('{', '{"__proto__":{},')), 'header'],
    ['typ twice', withHeader(text.replace('{', '{"typ":"session+jwt",')), 'header'],
    [
      'typ twice, once in escapes',
      withHeader(text.replace('{', '{"t\\u0079p":"session+jwt",')),
      'header',
    ],
    ['a list', withHeader('[]'), 'header'],
    ['not JSON', withHeader('{'), 'header'],
    ['a byte order mark', withHeader(`\uFEFF${text}`), 'header'],
    ['a kid that is not known', withHeader({ ...good, kid: signers.stranger.kid }), 'unknown-key'],
    ['a kid that is not of ASCII', withHeader({ ...good, kid: 'schlüssel' }), 'unknown-key'],
    ['a key that is not published', sessionToken({}, signers.stranger), 'unknown-key'],
    ['the kid of another key', withHeader(good, signers.former), 'bad-signature'],
    ['one character of the payload changed', changed(sessionToken()), 'bad-signature'],
  ])
}

/** Another text of the same length, with one character of its payload changed. */
function changed(token: string): string {
  const at = token.indexOf('.') + 20
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
}

function ofSessionClaims(): Vector[] {
  const text = JSON.stringify(sessionClaims)
  const with_ = (name: string, value: unknown, is: string): Row => [
    `${name} is ${JSON.stringify(value)?.slice(0, 40) ?? 'left out'}`,
    sessionToken({ [name]: value }),
    is,
  ]
  const missing = Object.keys(sessionClaims)
    .filter((name) => name !== 'pid')
    .map((name) => with_(name, undefined, 'claims'))
  return sessions('§5 claims', [
    ...missing,
    with_('pid', undefined, 'live'),
    with_('pid', null, 'claims'),
    with_('pid', 'short', 'claims'),
    with_('pid', 'a'.repeat(64), 'live'),
    with_('pid', 'a'.repeat(65), 'claims'),
    with_('sid', 'a'.repeat(21), 'claims'),
    with_('sid', 'a'.repeat(22), 'live'),
    with_('sid', 'a'.repeat(64), 'live'),
    with_('sid', 'a'.repeat(65), 'claims'),
    with_('sid', `${'a'.repeat(22)}\n`, 'claims'),
    with_('sid', 'a+b/'.repeat(6), 'claims'),
    with_('sub', '', 'claims'),
    with_('sub', 7, 'claims'),
    with_('sub', 'a'.repeat(2048), 'live'),
    with_('sub', 'a'.repeat(2049), 'claims'),
    with_('sub', '😀'.repeat(1024), 'live'),
    with_('sub', `${'😀'.repeat(1024)}a`, 'claims'),
    with_('sub', 'ü'.repeat(2048), 'live'),
    with_('iss', 'https://example.com/auth/', 'issuer'),
    with_('iss', 'https://EXAMPLE.com/auth', 'issuer'),
    with_('iss', 'https://example.com/authority', 'issuer'),
    with_('amr', [], 'claims'),
    with_('amr', [''], 'claims'),
    with_('amr', ['videoapp', 1], 'claims'),
    with_('amr', 'videoapp', 'claims'),
    with_('amr', ['passkey', 'hwk', 'user'], 'live'),
    with_('session', [], 'claims'),
    with_('session', null, 'claims'),
    with_('session', {}, 'live'),
    with_('session', { user: 'Ann' }, 'live'),
    with_('session', { user: { id: 'other', name: 'Ann' } }, 'live'),
    with_('aud', ISSUER, 'claims'),
    with_('aud', null, 'claims'),
    with_('began', IAT - 50, 'live'),
    with_('began', IAT + 1, 'claims'),
    with_('began', null, 'claims'),
    with_('cnf', { jkt: signers.es256.kid }, 'live'),
    with_('cnf', {}, 'claims'),
    with_('cnf', null, 'claims'),
    with_('cnf', signers.es256.kid, 'claims'),
    with_('cnf', { jkt: 'short' }, 'claims'),
    with_('cnf', { jkt: `${'A'.repeat(42)}B` }, 'claims'),
    with_('cnf', { jkt: signers.es256.kid, jwk: {} }, 'claims'),
    with_('cnf', { jwk: signers.es256.jwk }, 'claims'),
    with_('more', { deep: [1, { a: null }] }, 'live'),
    with_('more', Number.MAX_SAFE_INTEGER, 'live'),
    ['a member twice', sessionToken(text.replace('{', '{"sub":"user-2",')), 'claims'],
    [
      'a member twice, once in escapes',
      sessionToken(text.replace('{', '{"s\\u0075b":"user-2",')),
      'claims',
    ],
    [
      'a member twice, within the session',
      sessionToken(text.replace('"name"', '"name":"Eve","name"')),
      'claims',
    ],
    [
      'two members that differ in case',
      sessionToken(text.replace('{', '{"SUB":"user-2",')),
      'live',
    ],
    ['a colon within a text', sessionToken({ session: { text: 'a:b\\":"c' } }), 'live'],
    ['half of a character in a text', sessionToken(text.replace('"Ann"', '"\\ud83d"')), 'live'],
    [
      'a number without end in another claim',
      sessionToken(text.replace('{', '{"more":1e999,')),
      'live',
    ],
    [
      'a long number in another claim',
      sessionToken(text.replace('{', `{"more":${'9'.repeat(5_000)},`)),
      'live',
    ],
    [
      'nested a hundred times',
      sessionToken(text.replace('{', `{"more":${'['.repeat(100)}${']'.repeat(100)},`)),
      'live',
    ],
    ['NaN in another claim', sessionToken(text.replace('{', '{"more":NaN,')), 'claims'],
    ['Infinity in another claim', sessionToken(text.replace('{', '{"more":Infinity,')), 'claims'],
    ['a comma too many', sessionToken(text.replace('}}', '},}')), 'claims'],
    ['a comment', sessionToken(text.replace('{', '{/**/')), 'claims'],
    ['a tab within a text', sessionToken(text.replace('Ann', 'A\tn')), 'claims'],
    ['white space around', sessionToken(` \t\r\n${text}\n`), 'live'],
    ['a no-break space behind', sessionToken(`${text}\u00a0`), 'claims'],
    ['two values', sessionToken(`${text}${text}`), 'claims'],
    ['a byte order mark', sessionToken(`\uFEFF${text}`), 'claims'],
    [
      'a payload that is not UTF-8',
      rawPayload(Buffer.from(text.replace('Ann', 'Änn'), 'latin1')),
      'claims',
    ],
    ['half of a character in UTF-8', rawPayload(surrogate(text)), 'claims'],
    ['a list', sessionToken('[]'), 'claims'],
    ['null', sessionToken('null'), 'claims'],
    ['a text', sessionToken('"user-1"'), 'claims'],
  ])
}

function rawPayload(payload: Buffer): string {
  const by = signers.session
  const input = `${encoded(headerOf(by, 'session+jwt'))}.${payload.toString('base64url')}`
  return `${input}.${by.sign(input).toString('base64url')}`
}

function surrogate(text: string): Buffer {
  const [before = '', behind = ''] = text.split('Ann')
  return Buffer.concat([Buffer.from(before), Buffer.from('eda080', 'hex'), Buffer.from(behind)])
}

function ofSessionTimes(): Vector[] {
  const text = JSON.stringify(sessionClaims)
  const spelled = (as: string) => sessionToken(text.replace(`"iat":${IAT}`, `"iat":${as}`))
  const far = 8_640_000_000_000
  return sessions('§5 times', [
    ['the last second', sessionToken(), 'live', IAT + 299],
    ['the end', sessionToken(), 'expired', IAT + 300],
    ['a minute before it was signed', sessionToken(), 'live', IAT - 60],
    ['more than a minute before it was signed', sessionToken(), 'issued-in-the-future', IAT - 61],
    ['the end of the session', sessionToken(), 'session-ended', sessionClaims.sexp],
    ['the last second of the session', sessionToken(), 'expired', sessionClaims.sexp - 1],
    ['a life of a day', sessionToken({ exp: IAT + 86_400 }), 'live'],
    ['a life of more than a day', sessionToken({ exp: IAT + 86_401 }), 'claims'],
    ['an end before the beginning', sessionToken({ exp: IAT }), 'claims'],
    ['an end behind that of the session', sessionToken({ sexp: IAT + 299 }), 'claims'],
    ['an end with the session', sessionToken({ sexp: IAT + 300 }), 'live'],
    ['a sign-in a minute ahead', sessionToken({ auth_time: IAT + 60 }), 'live'],
    ['a sign-in more than a minute ahead', sessionToken({ auth_time: IAT + 61 }), 'claims'],
    ['a not-before in the past', sessionToken({ nbf: IAT }), 'live'],
    ['a not-before within the skew', sessionToken({ nbf: NOW + 60 }), 'live'],
    ['a not-before to come', sessionToken({ nbf: NOW + 61 }), 'not-yet-valid'],
    ['a not-before in words', sessionToken({ nbf: 'now' }), 'claims'],
    ['a not-before that is null', sessionToken({ nbf: null }), 'claims'],
    ['the last second that a date can hold', sessionToken({ sexp: far }), 'live'],
    ['a second later', sessionToken({ sexp: far + 1 }), 'claims'],
    ['a fraction', spelled(`${IAT}.5`), 'claims'],
    ['a fraction of zero', spelled(`${IAT}.0`), 'live'],
    ['a power', spelled('18e8'), 'live'],
    ['a power with a sign', spelled('1.8E+9'), 'live'],
    ['a negative time', sessionToken({ auth_time: -1 }), 'claims'],
    ['a text', sessionToken({ iat: `${IAT}` }), 'claims'],
    ['true', sessionToken({ auth_time: true }), 'claims'],
    [
      'a number without end',
      sessionToken(text.replace(`"sexp":${sessionClaims.sexp}`, '"sexp":1e999')),
      'claims',
    ],
    ['a zero before', spelled(`0${IAT}`), 'claims'],
    ['a plus before', spelled(`+${IAT}`), 'claims'],
  ])
}

function ofAccessTokens(): Vector[] {
  const with_ = (name: string, value: unknown, is: string): Row => [
    `${name} is ${JSON.stringify(value)?.slice(0, 40) ?? 'left out'}`,
    accessToken({ [name]: value }),
    is,
  ]
  const optional = ['scope', 'pid', 'sid']
  const required = Object.keys(accessClaims).filter((name) => !optional.includes(name))
  const { access, es256, rs256 } = signers
  const text = JSON.stringify(accessClaims)
  return [
    ...accesses('§13 access tokens', [
      ['by Ed25519', accessToken(), 'live'],
      ['by P-256', accessToken({}, es256), 'live'],
      ['by RSA', accessToken({}, rs256), 'live'],
      ['by P-256 with the other s', highS(accessToken({}, es256)), 'not-canonical'],
      [
        'by P-256 with a list and the other s',
        highS(signed(headerOf(es256, 'at+jwt'), 'null', es256)),
        'claims',
      ],
      ['by RSA plus the modulus', beyondModulus(rs256), 'bad-signature'],
      [
        'the key of P-256 as EdDSA',
        signed({ ...headerOf(es256, 'at+jwt'), alg: 'EdDSA' }, text, es256),
        'header',
      ],
      [
        'the key of Ed25519 as ES256',
        signed({ ...headerOf(access, 'at+jwt'), alg: 'ES256' }, text, access),
        'header',
      ],
      [
        'a P-256 signature of zeros',
        `${accessToken({}, es256).replace(/[^.]*$/, 'A'.repeat(86))}`,
        'bad-signature',
      ],
      ['a signature of RSA by the key of Ed25519', mixed(access, rs256), 'bad-signature'],
      ['alg PS256', signed({ ...headerOf(rs256, 'at+jwt'), alg: 'PS256' }, text, rs256), 'header'],
      ['a session token', sessionToken(), 'header'],
      [
        'a key of sessions',
        signed(headerOf(signers.session, 'at+jwt'), text, signers.session),
        'unknown-key',
      ],
      ['an ID token', signed({ ...headerOf(access, 'JWT') }, text, access), 'header'],
      [
        'a further member in the header',
        signed({ ...headerOf(access, 'at+jwt'), jku: ISSUER }, text, access),
        'header',
      ],
      ...required.map((name) => with_(name, undefined, 'claims')),
      ...optional.map((name) => with_(name, undefined, 'live')),
      ...optional.map((name) => with_(name, null, 'claims')),
      with_('aud', [AUDIENCE], 'claims'),
      with_('aud', 'https://api.example.com', 'audience'),
      with_('aud', 'https://other.example.com/', 'audience'),
      with_('iss', 'https://other.example.com/auth', 'issuer'),
      with_('exp', IAT + 301, 'claims'),
      with_('exp', IAT, 'claims'),
      with_('auth_time', IAT + 60, 'live'),
      with_('auth_time', IAT + 61, 'claims'),
      with_('began', IAT + 60, 'live'),
      with_('began', IAT + 61, 'claims'),
      with_('acr', 1, 'claims'),
      with_('acr', '3', 'claims'),
      with_('grant', 'short', 'claims'),
      with_('sid', 'short', 'claims'),
      with_('key_pid', 'vnRoWuVXl7Hl', 'live'),
      with_('key_pid', 5, 'claims'),
      with_('scope', '', 'claims'),
      with_('scope', 'notes:read  notes:write', 'claims'),
      with_('scope', ' notes:read', 'claims'),
      with_('scope', 'a"b', 'claims'),
      with_('scope', ['notes:read'], 'claims'),
      with_('nbf', NOW + 60, 'live'),
      with_('nbf', NOW + 61, 'not-yet-valid'),
      with_('cnf', { jkt: 'of another token' }, 'live'),
      ['a member twice', accessToken(text.replace('{', '{"aud":"other",')), 'claims'],
      ['the last second', accessToken(), 'live', IAT + 299],
      ['the end', accessToken(), 'expired', IAT + 300],
      ['a minute before it was signed', accessToken(), 'live', IAT - 60],
      ['more than a minute before it was signed', accessToken(), 'issued-in-the-future', IAT - 61],
      ['a token that is too long', accessToken({ more: 'a'.repeat(6_000) }), 'not-a-jws'],
      ['two tokens', `${accessToken()} ${accessToken()}`, 'not-a-jws'],
    ]),
    ...accessHeaders(),
  ]
}

/** The other spelling of a signature by ES256. */
function highS(token: string): string {
  const at = token.lastIndexOf('.') + 1
  const bytes = Buffer.from(token.slice(at), 'base64url')
  const s = P256_ORDER - numberOf(bytes.subarray(32))
  return (
    token.slice(0, at) + Buffer.concat([bytes.subarray(0, 32), bytes32(s)]).toString('base64url')
  )
}

/** A signature by RSA to which the modulus is added, where 256 bytes hold the sum. */
function beyondModulus(by: Signer): string {
  const modulus = numberOf(Buffer.from(by.jwk.n ?? '', 'base64url'))
  for (let count = 0; ; count++) {
    const token = accessToken({ jti: `jti-${count}` }, by)
    const at = token.lastIndexOf('.') + 1
    const sum = numberOf(Buffer.from(token.slice(at), 'base64url')) + modulus
    if (sum >> 2048n !== 0n) continue
    return (
      token.slice(0, at) +
      Buffer.from(sum.toString(16).padStart(512, '0'), 'hex').toString('base64url')
    )
  }
}

function mixed(header: Signer, by: Signer): string {
  return signed(headerOf(header, 'at+jwt'), accessClaims, by)
}

function accessHeaders(): Vector[] {
  const token = accessToken()
  const rows: [string, string | null, string][] = [
    ['no header', null, 'no-token'],
    ['an empty header', '', 'no-token'],
    ['the scheme alone', 'Bearer', 'no-token'],
    ['no token', 'Bearer ', 'no-token'],
    ['another scheme', `Basic ${token}`, 'no-token'],
    ['no scheme', token, 'no-token'],
    ['the scheme in capitals', `BEARER ${token}`, 'live'],
    ['spaces between', `Bearer   ${token}`, 'live'],
    ['a tab between', `Bearer\t${token}`, 'no-token'],
    ['a space behind', `Bearer ${token} `, 'not-a-jws'],
    ['a header that is too long', `Bearer ${'a'.repeat(9_000)}`, 'not-a-jws'],
  ]
  return rows.map(([name, authorization, is]) => ({
    clause: '§13 Authorization',
    name,
    asked: { kind: 'access', authorization, keys: 'access', now: NOW },
    is,
  }))
}

function ofMachines(): Vector[] {
  const machine = (changes: object = {}) =>
    signed(headerOf(signers.access, 'at+jwt'), { ...machineClaims, ...changes }, signers.access)
  const clause = '§26 machines'
  const both = { machine: true }
  const rows: [string, object, string][] = [
    ['a machine', {}, 'live'],
    ['machine is false', { machine: false }, 'claims'],
    ['machine is null', { machine: null }, 'claims'],
    ['the id of a person', { sub: 'user-1' }, 'claims'],
    ['the id of another app', { sub: 'machine:other' }, 'claims'],
    ['no pid', { pid: undefined }, 'claims'],
    ['a short jti', { jti: 'short' }, 'claims'],
    ['acr', { acr: '1' }, 'claims'],
    ['grant', { grant: accessClaims.grant }, 'claims'],
    ['company', { company: 'acme' }, 'claims'],
  ]
  const good: Row = ['a machine', machine(), 'machine']
  const person: Row = ['a person', accessToken(), 'machine']
  return [
    ...accesses(
      clause,
      rows.map(([name, changes, is]) => [name, machine(changes), is]),
      both,
    ),
    ...accesses(clause, [['a person', accessToken(), 'live']], both),
    ...accesses(`${clause}, people alone`, [good]),
    ...accesses(`${clause}, machines alone`, [person, ['a machine', machine(), 'live']], {
      machine: 'only',
    }),
    ...accesses(clause, [
      ['the id of a machine for a person', accessToken({ sub: 'machine:notes' }), 'claims'],
      ['company', accessToken({ company: 'acme' }), 'live'],
      ['company is a number', accessToken({ company: 5 }), 'claims'],
      ['company in capitals', accessToken({ company: 'Acme' }), 'claims'],
    ]),
    ...sessions('§25 companies', [
      ['company', sessionToken({ company: 'acme-2' }), 'live'],
      ['company is a number', sessionToken({ company: 5 }), 'claims'],
      ['company is null', sessionToken({ company: null }), 'claims'],
      ['company is too long', sessionToken({ company: 'a'.repeat(33) }), 'claims'],
      ['the id of a machine', sessionToken({ sub: 'machine:notes' }), 'claims'],
    ]),
  ]
}

function ofNeeds(): Vector[] {
  const rows: [string, object, object, string][] = [
    ['one of the scopes', {}, { scope: 'notes:read' }, 'live'],
    ['both scopes', {}, { scope: 'notes:write notes:read' }, 'live'],
    ['a scope that is missing', {}, { scope: 'notes:read notes:delete' }, 'scope'],
    ['no scope granted', { scope: undefined }, { scope: 'notes:read' }, 'scope'],
    ['a scope that names nothing', {}, { scope: ' ' }, 'scope'],
    ['fresh', {}, { maxAge: 100 }, 'live'],
    ['not fresh', {}, { maxAge: 99 }, 'max-age'],
    ['of now', { auth_time: IAT + 60, iat: IAT + 60, exp: IAT + 160 }, { maxAge: 40 }, 'live'],
    ['strong', { acr: '2' }, { acr: '2' }, 'live'],
    ['not strong', {}, { acr: '2' }, 'acr'],
    ['as strong as any', {}, { acr: '1' }, 'live'],
    ['stronger than there is', { acr: '2' }, { acr: '3' }, 'acr'],
    ['not fresh, and no scope', {}, { scope: 'other', maxAge: 1 }, 'scope'],
    ['no token for a scope', {}, { scope: 'notes:read' }, 'no-token'],
  ]
  const invalid =
    'Bearer error="invalid_token", error_description="The access token is not valid here"'
  const challenges: Record<string, string> = {
    'a scope that is missing':
      'Bearer error="insufficient_scope", error_description="The access token has not all of the scopes", scope="notes:read notes:delete"',
    'not fresh':
      'Bearer error="insufficient_user_authentication", error_description="More recent authentication is required", max_age="99"',
    'not strong':
      'Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="2"',
    'no token for a scope': 'Bearer scope="notes:read"',
  }
  const asked = (name: string, changes: object, needs: object): Question => ({
    kind: 'access',
    authorization: name === 'no token for a scope' ? null : `Bearer ${accessToken(changes)}`,
    keys: 'access',
    now: NOW,
    ...needs,
  })
  const other: Question = {
    kind: 'access',
    authorization: `Bearer ${accessToken()}`,
    keys: 'access',
    now: IAT + 300,
    scope: 'notes:read',
  }
  return [
    ...rows.map(([name, changes, needs, is]) => ({
      clause: '§13 needs',
      name,
      asked: asked(name, changes, needs),
      is: name in challenges ? { reason: is, challenge: challenges[name] } : is,
    })),
    {
      clause: '§13 needs',
      name: 'an expired token for a scope',
      asked: other,
      is: { reason: 'expired', challenge: `${invalid}, scope="notes:read"` },
    },
  ]
}

function ofCookies(): Vector[] {
  const token = 'aaaa.bbbb.'.padEnd(96, 'c')
  const full = 'f'.repeat(3_800)
  const long = `aaaa.${'b'.repeat(3_809)}.${'c'.repeat(86)}`
  const parted = (left: string) =>
    [long.slice(0, 3_800), long.slice(3_800), left]
      .map((chunk, index) => `${NAME}.${index}=${chunk}`)
      .join('; ')
  const rows: [string, string, string[]][] = [
    ['no cookie', '', []],
    ['one cookie', `${NAME}=${token}`, [token]],
    ['among others', `a=b; ${NAME}=${token}; c=d`, [token]],
    ['an empty value', `${NAME}=`, []],
    ['quotes', `${NAME}="${token}"`, [token]],
    ['quotes around nothing', `${NAME}=""`, []],
    ['one quote', `${NAME}="`, ['"']],
    ['spaces and tabs around', `a=b;\t ${NAME} \t= ${token}\t;c`, [token]],
    ['a space of Unicode before the name', `\u2000${NAME}=${token}`, []],
    ['a no-break space before the name', `a=b;\u00a0${NAME}=${token}`, []],
    ['a longer name', `${NAME}2=${token}`, []],
    ['another case of the name', `__host-auth.session-token=${token}`, []],
    ['no equals sign', `${NAME}; ${NAME}`, []],
    ['no name', `=${token}; ${NAME}=b`, ['b']],
    ['an equals sign in the value', `${NAME}=a=b`, ['a=b']],
    ['two cookies', `${NAME}=a; ${NAME}=b`, ['a', 'b']],
    ['the same twice', `${NAME}=a; ${NAME}=b; ${NAME}=a`, ['a', 'b']],
    [
      'the last seven of nine',
      [...'123456789'].map((one) => `${NAME}=${one}`).join('; '),
      [...'3456789'],
    ],
    ['two chunks', `${NAME}.1=b; ${NAME}.0=${full}`, [`${full}b`]],
    ['a chunk that is missing', `${NAME}.0=a; ${NAME}.2=c`, ['a']],
    ['no first chunk', `${NAME}.1=b`, []],
    ['an index in another spelling', `${NAME}.0=a; ${NAME}.01=b; ${NAME}.1x=c`, ['a']],
    ['an index that is too large', `${NAME}.100=a`, []],
    [
      'a chunk left from a longer token',
      `${NAME}.0=${token}; ${NAME}.1=old`,
      [`${token}old`, token],
    ],
    ['a full chunk, a shorter one, and one that is left', parted('old'), [`${long}old`, long]],
    ['a chunk without a value before the chunk', `${NAME}.0; ${NAME}.0=${token}`, [token]],
    ['chunks that come twice', `${NAME}.0=x; ${NAME}.0=${token}`, ['x', token]],
    ['a cookie and chunks', `${NAME}=a; ${NAME}.0=b`, ['a', 'b']],
  ]
  return rows.map(([name, header, is]) => ({
    clause: '§4 cookies',
    name,
    asked: { kind: 'cookie', header, name: NAME },
    is,
  }))
}

function ofKeys(): Vector[] {
  const { session, access, es256, rs256, former } = signers
  const set = (...keys: object[]) => JSON.stringify({ keys })
  const without = (key: Signer, name: string) => ({ ...key.jwk, [name]: undefined })
  const rows: [string, string, boolean, string[] | 'invalid'][] = [
    ['the keys of sessions', set(session.jwk, former.jwk), false, [session.kid, former.kid]],
    [
      'a kid that is not the thumbprint',
      set({ ...session.jwk, kid: 'other' }),
      false,
      [session.kid],
    ],
    ['alg Ed25519', set({ ...session.jwk, alg: 'Ed25519' }), false, [session.kid]],
    ['no alg', set(without(session, 'alg')), false, [session.kid]],
    ['no use', set(without(session, 'use')), false, [session.kid]],
    ['a key that encrypts', set({ ...session.jwk, use: 'enc' }, former.jwk), false, [former.kid]],
    [
      'keys of other kinds',
      set(es256.jwk, rs256.jwk, session.jwk, {}, 5 as never),
      false,
      [session.kid],
    ],
    [
      'a point in another spelling',
      set({ ...session.jwk, x: `${session.jwk.x}=` }),
      false,
      'invalid',
    ],
    ['no key of this kind', set(es256.jwk), false, 'invalid'],
    ['a private key', set({ ...session.jwk, d: 'AA' }), false, 'invalid'],
    ['a secret beside it', set(session.jwk, { kty: 'oct', k: 'AA' }), false, 'invalid'],
    ['an empty set', set(), false, 'invalid'],
    ['not JSON', '{', false, 'invalid'],
    ['a list', '[]', false, 'invalid'],
    ['no list of keys', '{"keys":{}}', false, 'invalid'],
    [
      'the keys of access tokens',
      set(access.jwk, es256.jwk, rs256.jwk),
      true,
      [access.kid, es256.kid, rs256.kid],
    ],
    ['a key without alg', set(without(access, 'alg'), es256.jwk), true, [es256.kid]],
    ['alg Ed25519 of an access token', set({ ...access.jwk, alg: 'Ed25519' }), true, 'invalid'],
    ['an alg of another kind of key', set({ ...access.jwk, alg: 'ES256' }), true, 'invalid'],
    ['an alg that is inherited', set({ ...access.jwk, alg: 'toString' }), true, 'invalid'],
    [
      'a point that is not on its curve',
      set({ ...es256.jwk, y: es256.jwk.x }, access.jwk),
      true,
      [access.kid],
    ],
    ['an exponent of 3', set({ ...rs256.jwk, e: 'Aw' }), true, 'invalid'],
    ['a short modulus', set({ ...rs256.jwk, n: 'A'.repeat(171) }), true, 'invalid'],
    ['another curve', set({ ...es256.jwk, crv: 'P-384' }), true, 'invalid'],
  ]
  return rows.map(([name, text, access, is]) => ({
    clause: '§5, §13 keys',
    name,
    asked: { kind: 'jwks', text, access },
    is: is === 'invalid' ? is : is.toSorted(),
  }))
}

function ofApiKeys(): Vector[] {
  const good = apiKey('acme', 'A'.repeat(37).padStart(38, '0'))
  const rows: [string, string, boolean][] = [
    ['a good key', good, true],
    ['a prefix of two characters', apiKey('a1', '7'.repeat(37).padStart(38, '0')), true],
    ['a mistyped character', good.replace('AAAA', 'AAAB'), false],
    ['another checksum', `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`, false],
    ['another prefix', good.replace('acme', 'acmf'), false],
    ['more than 28 bytes', apiKey('acme', 'z'.repeat(38)), false],
    ['the most that 28 bytes hold', apiKey('acme', inDigits(2n ** 224n - 1n)), true],
    ['one more', apiKey('acme', inDigits(2n ** 224n)), false],
    ['a line break behind', `${good}\n`, false],
    ['a prefix that begins with a digit', apiKey('1a', '0'.repeat(38)), false],
    ['a prefix in capitals', apiKey('Acme', '0'.repeat(38)), false],
    ['a prefix of 13 characters', apiKey('a'.repeat(13), '0'.repeat(38)), false],
    ['a token', accessToken(), false],
  ]
  return rows.map(([name, text, is]) => ({
    clause: '§14 form and checksum',
    name,
    asked: { kind: 'api-key', text },
    is,
  }))
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function inDigits(number: bigint, length = 38): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n)
    text = DIGITS[Number(rest % 62n)] + text
  return text
}

function apiKey(prefix: string, body: string): string {
  const start = `${prefix}_${body}`
  return start + inDigits(BigInt(crc32(start)), 6)
}

function ofStrength(): Vector[] {
  const rows: [string, string[], string][] = [
    ['one factor', ['videoapp'], '1'],
    ['two factors', ['videoapp', 'otp', 'mfa'], '2'],
    ['a passkey that verified the user', ['passkey', 'hwk', 'user'], '2'],
    ['a passkey that did not', ['passkey', 'hwk'], '1'],
    ['a user that another provider verified', ['videoapp', 'user'], '1'],
    ['a provider with the name of a method', ['mfa'], '1'],
    ['a provider with the name of another one', ['user', 'passkey'], '1'],
  ]
  return rows.map(([name, amr, is]) => ({
    clause: '§10 acr',
    name,
    asked: { kind: 'acr', amr },
    is,
  }))
}

function ofFeeds(): Vector[] {
  const rows: [string, string, string, string?][] = [
    ['an empty feed', feedText(), 'good'],
    ['an ended session', feedText({ sids: ['any text'] }), 'good'],
    ['a cut-off', feedText({ cutoffs: [{ pid: 'p', until: 1 }] }), 'good'],
    [
      'a cut-off with an exception',
      feedText({ cutoffs: [{ pid: 'p', until: 1, except: 's' }] }),
      'good',
    ],
    ['a cut-off by sub', feedText({ users: [{ sub: 's', until: 1 }] }), 'good'],
    ['a feed of version 0.1', feedText({ cutoffs: undefined }), 'good'],
    [
      'stale claims',
      feedText({
        stale: [
          { pid: 'p', until: 1 },
          { sid: 's', until: 2 },
        ],
      }),
      'good',
    ],
    ['a page', feedText({ more: 5, names: 480, heard: 7 }), 'good'],
    ['further members', feedText({ later: {} }), 'good'],
    ['the key of another service', feedText({}, signers.stranger), 'unknown-key'],
    ['a session token', sessionToken(), 'header'],
    ['an answer to a question', feedText({ of: 'abcdefgh' }), 'header'],
    ['an answer to the question', feedText({ of: 'abcdefgh' }), 'good', 'abcdefgh'],
    ['an answer to another question', feedText({ of: 'ijklmnop' }), 'claims', 'abcdefgh'],
    ['a feed for a question', feedText(), 'header', 'abcdefgh'],
    ['a feed of one question as the whole', relabeled(), 'claims'],
    [
      'no list',
      signed(headerOf(signers.session, 'revocations+jwt'), '[]', signers.session),
      'claims',
    ],
    ...['iss', 'sids', 'users', 'since', 'next', 'window'].map((name): [string, string, string] => [
      `${name} is left out`,
      feedText({ [name]: undefined }),
      'claims',
    ]),
    ['sids with a number', feedText({ sids: [1] }), 'claims'],
    ['sids is a text', feedText({ sids: 'abc' }), 'claims'],
    ['cutoffs is null', feedText({ cutoffs: null }), 'claims'],
    ['a cut-off without until', feedText({ cutoffs: [{ pid: 'p' }] }), 'claims'],
    ['a cut-off without pid', feedText({ cutoffs: [{ until: 1 }] }), 'claims'],
    [
      'a cut-off that excepts a number',
      feedText({ cutoffs: [{ pid: 'p', until: 1, except: 1 }] }),
      'claims',
    ],
    ['a cut-off that is null', feedText({ cutoffs: [null] }), 'claims'],
    ['stale is an object', feedText({ stale: {} }), 'claims'],
    ['stale without a name', feedText({ stale: [{ until: 1 }] }), 'claims'],
    ['stale with two names', feedText({ stale: [{ pid: 'p', sid: 's', until: 1 }] }), 'claims'],
    ['stale without until', feedText({ stale: [{ pid: 'p' }] }), 'claims'],
    ['stale by sub', feedText({ stale: [{ sub: 's', until: 1 }] }), 'claims'],
    ['a negative time', feedText({ next: -1 }), 'claims'],
    ['a fraction', feedText({ window: 1.5 }), 'claims'],
    ['a number that is not exact', feedText({ since: 2 ** 53 }), 'claims'],
    ['more is null', feedText({ more: null }), 'claims'],
    ['heard is a text', feedText({ heard: '1' }), 'claims'],
    [
      'of is null',
      feedText({ of: null }).replace(
        /^[^.]*/,
        encoded(headerOf(signers.session, 'revocations+jwt')),
      ),
      'bad-signature',
    ],
  ]
  return rows.map(([name, text, is, of]) => ({
    clause: '§6 feed',
    name,
    asked: { kind: 'feed', text, keys: 'session', ...(of === undefined ? {} : { of }) },
    is,
  }))
}

/** The content of an answer under the `typ` of a feed. */
function relabeled(): string {
  const by = signers.session
  return signed(headerOf(by, 'revocations+jwt'), { ...feedContent, of: 'abcdefgh' }, by)
}

const FIRST = '/revocations?pages=1'

function serviceWith(feed: object | string | undefined, more: Service = {}): Service {
  const text = typeof feed === 'string' ? feed : feedText(feed ?? {})
  return {
    ...(feed === undefined ? {} : { [FIRST]: text }),
    ...more,
  }
}

function ofEndings(): Vector[] {
  const { sid, pid } = sessionClaims
  const cookieOf = (...tokens: string[]) => tokens.map((one) => `${NAME}=${one}`).join('; ')
  const one = cookieOf(sessionToken())
  const young = cookieOf(sessionToken({ iat: NOW - 7, auth_time: NOW - 8 }))
  const other = 'zzzzzzzzzzzzzzzzzzzzzz'
  const second = sessionToken({ sub: 'user-2', sid: other, pid: 'qqqqqqqqqqqq' })
  const expired = sessionToken({ exp: NOW - 1, sid: other })
  const nameless = cookieOf(sessionToken({ pid: undefined }))
  const bound = { cnf: { jkt: signers.es256.kid } }
  const cut = (members: object) => ({ cutoffs: [{ pid, until: IAT, ...members }] })
  const named = (user: object | undefined) => cookieOf(sessionToken({ session: { user } }))
  const page = (since: number) => `/revocations?since=${since}&pages=1`
  const rows: [string, string, Service, string][] = [
    ['nothing ended', one, serviceWith({}), 'user-1'],
    ['a user with an id of its own', named({ id: 'other' }), serviceWith({}), 'user-1 other'],
    ['a user whose id is null', named({ id: null }), serviceWith({}), 'user-1 none'],
    ['no user', named(undefined), serviceWith({}), 'user-1 none'],
    ['no cookie', '', serviceWith({}), 'nobody'],
    ['the session ended', one, serviceWith({ sids: [sid] }), 'nobody'],
    ['another session ended', one, serviceWith({ sids: [other] }), 'user-1'],
    ['a cut-off at its beginning', one, serviceWith(cut({})), 'nobody'],
    ['a cut-off before its beginning', one, serviceWith(cut({ until: IAT - 1 })), 'user-1'],
    ['a cut-off that spares it', one, serviceWith(cut({ except: sid })), 'user-1'],
    ['a cut-off that spares another one', one, serviceWith(cut({ except: other })), 'nobody'],
    [
      'two cut-offs in one second that spare different sessions',
      one,
      serviceWith({
        cutoffs: [
          { pid, until: IAT, except: sid },
          { pid, until: IAT, except: other },
        ],
      }),
      'nobody',
    ],
    [
      'an earlier cut-off behind a later one',
      one,
      serviceWith({
        cutoffs: [
          { pid, until: IAT, except: sid },
          { pid, until: IAT - 1 },
        ],
      }),
      'user-1',
    ],
    ['a cut-off of another person', one, serviceWith(cut({ pid: 'qqqqqqqqqqqq' })), 'user-1'],
    ['a cut-off by sub', one, serviceWith({ users: [{ sub: 'user-1', until: IAT }] }), 'nobody'],
    [
      'a cut-off before a step-up, and behind the beginning',
      cookieOf(sessionToken({ began: IAT - 50 })),
      serviceWith(cut({ until: IAT - 50 })),
      'nobody',
    ],
    [
      'a token without pid, beside a cut-off',
      nameless,
      serviceWith(cut({ pid: 'qqqqqqqqqqqq' })),
      'expired',
    ],
    [
      'a token without pid that was signed a minute behind it',
      nameless,
      serviceWith(cut({ pid: 'qqqqqqqqqqqq', until: IAT - 61 })),
      'user-1',
    ],
    [
      'two cut-offs in one second, the first of which spares another session',
      one,
      serviceWith({
        cutoffs: [
          { pid, until: IAT, except: other },
          { pid, until: IAT, except: sid },
        ],
      }),
      'nobody',
    ],
    [
      'the same cut-off twice',
      one,
      serviceWith({
        cutoffs: [
          { pid, until: IAT, except: sid },
          { pid, until: IAT, except: sid },
        ],
      }),
      'user-1',
    ],
    [
      'a token without pid that was signed less than a minute behind it',
      cookieOf(sessionToken({ pid: undefined, auth_time: IAT - 70 })),
      serviceWith(cut({ pid: 'qqqqqqqqqqqq', until: IAT - 60 })),
      'expired',
    ],
    ['a feed a minute ahead', one, serviceWith({ next: NOW + 60 }), 'user-1'],
    ['stale by pid', one, serviceWith({ stale: [{ pid, until: IAT }] }), 'expired'],
    ['stale by sid', one, serviceWith({ stale: [{ sid, until: IAT + 5 }] }), 'expired'],
    ['issued behind the refresh', one, serviceWith({ stale: [{ pid, until: IAT - 1 }] }), 'user-1'],
    ['stale and ended', one, serviceWith({ sids: [sid], stale: [{ pid, until: IAT }] }), 'nobody'],
    ['a window that is over', one, serviceWith({ window: 100 }), 'expired'],
    ['a window of one second more', one, serviceWith({ window: 101 }), 'user-1'],
    ['an expired token', cookieOf(expired), serviceWith({}), 'expired'],
    [
      'an expired token of an ended session',
      cookieOf(expired),
      serviceWith({ sids: [other] }),
      'nobody',
    ],
    ['a bound session', cookieOf(sessionToken(bound)), serviceWith({}), 'user-1'],
    ['sessions of two people', cookieOf(sessionToken(), second), serviceWith({}), 'nobody'],
    [
      'sessions of two people, one signed out',
      cookieOf(sessionToken(), second),
      serviceWith({ sids: [other] }),
      'user-1',
    ],
    [
      'a forged cookie beside it',
      cookieOf(changed(sessionToken()), sessionToken()),
      serviceWith({}),
      'user-1',
    ],
    ['no feed', one, serviceWith(undefined), 'unavailable'],
    ['no feed, and a token of this moment', young, serviceWith(undefined), 'user-1'],
    ['no keys', one, serviceWith({}, { '/jwks.json': null }), 'unavailable'],
    [
      'keys without the one that signed',
      cookieOf(sessionToken({}, signers.stranger)),
      serviceWith({}),
      'nobody',
    ],
    ['a feed that is forged', one, serviceWith(changed(feedText())), 'unavailable'],
    [
      'a feed of another issuer',
      one,
      serviceWith({ iss: 'https://other.example.com/auth' }),
      'unavailable',
    ],
    ['an old feed', one, serviceWith({ next: NOW - 76 }), 'unavailable'],
    [
      'an old feed that names the session',
      one,
      serviceWith({ next: NOW - 76, sids: [sid] }),
      'nobody',
    ],
    ['a feed that is not too old', one, serviceWith({ next: NOW - 75 }), 'user-1'],
    [
      'a feed that stands still, and is heard',
      one,
      serviceWith({ next: NOW - 500, heard: NOW }),
      'user-1',
    ],
    ['a feed from the future', one, serviceWith({ next: NOW + 61 }), 'unavailable'],
    ['a feed that begins late', one, serviceWith({ since: NOW - 359 }), 'unavailable'],
    ['a feed that begins with the window', one, serviceWith({ since: NOW - 360 }), 'user-1'],
    [
      'the second page names the session',
      one,
      serviceWith({ more: 50 }, { [page(50)]: feedText({ since: 50, sids: [sid] }) }),
      'nobody',
    ],
    [
      'the second page is the last',
      one,
      serviceWith({ more: 50 }, { [page(50)]: feedText({ since: 50 }) }),
      'user-1',
    ],
    ['the second page is missing', one, serviceWith({ more: 50 }), 'unavailable'],
    [
      'the first of two pages names the session',
      one,
      serviceWith({ more: 50, sids: [sid] }),
      'nobody',
    ],
    ['a page that does not go on', one, serviceWith({ more: 0 }), 'unavailable'],
    [
      'a page that goes back',
      one,
      serviceWith({ more: 50 }, { [page(50)]: feedText({ since: 50, more: 50 }) }),
      'unavailable',
    ],
  ]
  return rows.map(([name, cookie, service, is]) => ({
    clause: '§6, §24 endings',
    name,
    asked: { kind: 'read-session', cookie, service, now: NOW },
    is: is === 'user-1' ? 'user-1 user-1' : is,
  }))
}

/** Only its browser renews a bound session. */
function ofBoundSessions(): Vector[] {
  const bound = sessionToken({ cnf: { jkt: signers.es256.kid }, exp: NOW })
  const asked: Question = {
    kind: 'read-session',
    cookie: `${NAME}=${bound}`,
    service: serviceWith({}),
    now: NOW,
  }
  return [{ clause: '§23 bound sessions', name: 'a token that has ended', asked, is: 'nobody' }]
}

function ofEndedGrants(): Vector[] {
  const { grant, sid, pid } = accessClaims
  const offline = accessToken({ sid: undefined })
  const ofKey = accessToken({ client_id: 'api-key', pid: undefined, sid: undefined, key_pid: pid })
  const key = apiKey('acme', 'A'.repeat(37).padStart(38, '0'))
  const exchanged = {
    '/oauth/token': JSON.stringify({ access_token: ofKey, token_type: 'Bearer' }),
  }
  const cut = (members: object) => ({ cutoffs: [{ pid, until: IAT, ...members }] })
  const rows: [string, string, Service, string][] = [
    ['nothing ended', accessToken(), serviceWith({}), 'live'],
    ['the grant ended', accessToken(), serviceWith({ sids: [grant] }), 'grant-ended'],
    ['its session ended', accessToken(), serviceWith({ sids: [sid] }), 'grant-ended'],
    ['a cut-off of the person', accessToken(), serviceWith(cut({})), 'grant-ended'],
    ['a cut-off before its beginning', accessToken(), serviceWith(cut({ until: IAT - 1 })), 'live'],
    ['a cut-off that spares the session', accessToken(), serviceWith(cut({ except: sid })), 'live'],
    [
      'a cut-off, and a grant without a session',
      offline,
      serviceWith(cut({ except: sid })),
      'grant-ended',
    ],
    ['stale by pid', accessToken(), serviceWith({ stale: [{ pid, until: IAT }] }), 'stale'],
    ['stale by sid', accessToken(), serviceWith({ stale: [{ sid, until: IAT }] }), 'stale'],
    [
      'issued behind the refresh',
      accessToken(),
      serviceWith({ stale: [{ pid, until: IAT - 1 }] }),
      'live',
    ],
    ['a window that is over', accessToken(), serviceWith({ window: 100 }), 'expired'],
    ['no feed', accessToken(), serviceWith(undefined), 'unavailable'],
    ['an API key', key, serviceWith({}, exchanged), 'live'],
    ['an API key, and a cut-off of its person', key, serviceWith(cut({}), exchanged), 'live'],
    ['an API key that ended', key, serviceWith({ sids: [grant] }, exchanged), 'grant-ended'],
    ['an API key whose service is silent', key, serviceWith({}), 'unavailable'],
    [
      'an API key for another audience',
      key,
      serviceWith(
        {},
        { '/oauth/token': JSON.stringify({ access_token: accessToken({ aud: 'other' }) }) },
      ),
      'audience',
    ],
    [
      'an answer about an API key without a token',
      key,
      serviceWith({}, { '/oauth/token': '{"access_token":5}' }),
      'unavailable',
    ],
    [
      'a key with a wrong checksum',
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      serviceWith({}, exchanged),
      'not-a-jws',
    ],
  ]
  return rows.map(([name, credential, service, is]) => ({
    clause: '§13, §14, §24 endings',
    name,
    asked: { kind: 'read-token', authorization: `Bearer ${credential}`, service, now: NOW },
    is,
  }))
}
