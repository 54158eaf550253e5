import { isRecord } from '../lib/is-record.js'
import type { TokenSigningKey, TokenVerifyKeys } from './access-keys.js'
import {
  CLOCK_SKEW,
  hasGoodCompany,
  isFrom,
  isMachineSub,
  isText,
  isTime,
  machineSub,
  notBeforeOf,
} from './claims.js'
import type { Acr } from './is-enough.js'
import { hasLowS, withLowS } from './low-s.js'
import {
  readSigned,
  type SignatureAlgorithm,
  type SignatureAlgorithms,
  type SignatureFault,
  signCompact,
} from './signed.js'

/** The claims that the access tokens of users and of machines share. Times are seconds since the epoch. */
interface SharedClaims {
  /** Public origin and base path of the issuer, as in its session tokens. */
  readonly iss: string
  /** The one resource that the token is for. */
  readonly aud: string
  /** The app that has it. */
  readonly client_id: string
  readonly iat: number
  /** When the token ends, at most {@link ACCESS_TOKEN_LIFE} after `iat`. */
  readonly exp: number
  /** Different in each token. */
  readonly jti: string
  /** The scopes that are granted, with one space between two. Absent: none. */
  readonly scope?: string
}

/**
 * The claims of a user's access token (RFC 9068). All but `scope`, `pid`, `key_pid`, `sid` and `company` are
 * required. Times are seconds since the epoch.
 */
export interface AccessClaims extends SharedClaims {
  /** Stable id of the user, as in session tokens. Never that of a machine. */
  readonly sub: string
  /** When the user last signed in or stepped up. */
  readonly auth_time: number
  /** `'2'`: the user has signed in with two factors, or with a passkey that verified them. */
  readonly acr: Acr
  /** Handle of the grant: 22 to 64 characters of base64url. Not a credential. */
  readonly grant: string
  /** When the session began, or the grant if it outlives its session. */
  readonly began: number
  /** The user, as the feed of endings names them. */
  readonly pid?: string
  /**
   * Instead of `pid`, in a token of an API key: only a refresh of claims, and no end to all sessions, concerns keys.
   */
  readonly key_pid?: string
  /** Handle of the session that the grant belongs to. Absent: it belongs to none. */
  readonly sid?: string
  /** The id of the company whose provider proved who the user is. */
  readonly company?: string
  /** The token of a user has none. */
  readonly machine?: undefined
}

/**
 * The claims of a machine's access token: an app that acts for itself (RFC 6749, 4.4). It has no sign-in, so it has
 * neither `auth_time` nor `acr`, and verifiers of versions that do not know machines refuse it. Times are seconds
 * since the epoch.
 */
export interface MachineClaims extends SharedClaims {
  /** `machine:` and the `client_id`, which is never the id of a user. */
  readonly sub: string
  /** When the token was issued. */
  readonly began: number
  /** The machine, as the feed of endings names it. */
  readonly pid: string
  readonly machine: true
}

/** Why a text is not an access token. For logs and tests; a client learns only that it is not. */
export type AccessTokenFault =
  | SignatureFault
  | 'issuer'
  | 'audience'
  | 'issued-in-the-future'
  | 'not-yet-valid'
  | 'expired'

/** The life of an access token, `exp - iat`, in seconds. A longer one is refused. */
export const ACCESS_TOKEN_LIFE = 300

/** The `typ` of an access token (RFC 9068, 2.1). No other token that Latchkey issues has it. */
const ACCESS_TYP = 'at+jwt'

/** The `typ` of an ID token. */
const ID_TYP = 'JWT'

/** The `typ` of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const LOGOUT_TYP = 'logout+jwt'

/** Longer tokens are refused before anything is decoded. In characters. */
export const MAX_ACCESS_TOKEN_LENGTH = 8_192

const ALGORITHMS: SignatureAlgorithms = new Map<string, SignatureAlgorithm>([
  ['EdDSA', 'Ed25519'],
  ['ES256', { name: 'ECDSA', hash: 'SHA-256' }],
  ['RS256', 'RSASSA-PKCS1-v1_5'],
])

/**
 * Three base64url parts; a signature of 64 bytes, or of 256 by RSA. The last character of each has
 * four zero bits.
 */
const CANONICAL = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.(?:[A-Za-z0-9_-]{85}|[A-Za-z0-9_-]{341})[AQgw]$/

/** 128 bits in base64url are 22 characters. */
const HANDLE = /^[A-Za-z0-9_-]{22,64}$/

/** 72 bits in base64url are 12 characters. */
const PID = /^[A-Za-z0-9_-]{12,64}$/

/** Scopes with one space between two (RFC 6749, 3.3). */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/

/**
 * Signs an access token: JWS compact, `typ: at+jwt`, `alg` and `kid` those of the key.
 *
 * @example
 * const [key] = await deriveAccessKeys(secrets, 'EdDSA')
 * const token = await signAccessToken(claims, key)
 */
export function signAccessToken(
  claims: AccessClaims | MachineClaims,
  key: TokenSigningKey,
): Promise<string> {
  return sign(claims, ACCESS_TYP, key)
}

/**
 * Signs an ID token: JWS compact, `typ: JWT`, `alg` and `kid` those of the key. The caller is
 * responsible for the claims (OpenID Connect Core, section 2).
 *
 * @example await signIdToken({ iss, sub, aud: clientId, iat, exp, auth_time }, key)
 */
export function signIdToken(claims: object, key: TokenSigningKey): Promise<string> {
  return sign(claims, ID_TYP, key)
}

/**
 * Signs a logout token: JWS compact, `typ: logout+jwt`, `alg` and `kid` those of the key. The caller is responsible for
 * the claims (OpenID Connect Back-Channel Logout 1.0, section 2.4).
 *
 * @example await signLogoutToken({ iss, sub, aud: clientId, iat, exp, jti, events, sid }, key)
 */
export function signLogoutToken(claims: object, key: TokenSigningKey): Promise<string> {
  return sign(claims, LOGOUT_TYP, key)
}

/**
 * The claims of an ID token that one of the keys has signed, whatever they are and however old: for
 * hints, which a client sends after the token's end too. Never throws on bad input.
 *
 * @example await readIdToken(idTokenHint, keys)
 */
export async function readIdToken(
  token: string,
  keys: TokenVerifyKeys,
): Promise<Readonly<Record<string, unknown>> | SignatureFault> {
  const content = await read(token, ID_TYP, keys)
  return typeof content === 'string' || isRecord(content) ? content : 'claims'
}

/**
 * The claims of an access token that one of the keys has signed, frozen; or the reason of a
 * refusal. Issuer, audience and times are compared by {@link accessTokenStanding}, but for `notBefore`
 * in seconds since the epoch. Never throws on bad input.
 */
export async function verifyAccessToken(
  token: string,
  keys: TokenVerifyKeys,
): Promise<
  { readonly claims: AccessClaims | MachineClaims; readonly notBefore: number } | AccessTokenFault
> {
  const content = await read(token, ACCESS_TYP, keys)
  if (typeof content === 'string') return content
  // ID tokens come as hints for years, and those of earlier versions may have the other spelling.
  if (namedAlg(token) === 'ES256' && !hasLowS(token)) return 'not-canonical'
  const claims = parseAccessClaims(content)
  const notBefore = notBeforeOf(content)
  if (!claims || notBefore === undefined) return 'claims'
  return { claims: Object.freeze(claims), notBefore }
}

/** The `alg` that the header of a token names, unverified: it says where an unknown key is looked for. */
export function namedAlg(token: string): string | undefined {
  try {
    const { alg } = JSON.parse(
      atob(token.slice(0, token.indexOf('.')).replaceAll('-', '+').replaceAll('_', '/')),
    )
    return alg
  } catch {
    return undefined
  }
}

/** May it be an access token? Any other text is refused without its keys. */
export function isLikeAccessToken(text: string): boolean {
  return text.length <= MAX_ACCESS_TOKEN_LENGTH && CANONICAL.test(text)
}

/**
 * Narrows the payload of a token with a good signature to the claims of a user, or of a machine. A claim that is missing
 * or of another type makes it `undefined`; nothing is repaired.
 */
function parseAccessClaims(payload: unknown): AccessClaims | MachineClaims | undefined {
  if (!isRecord(payload)) return undefined
  const { iss, sub, aud, client_id, iat, exp, jti, began, scope } = payload
  // An array of one names the same audience (RFC 7519, 4.1.3), but the service never writes it.
  if (!isText(iss) || !isText(sub) || !isText(aud) || !isText(client_id)) return undefined
  if (!isText(jti) || !isTime(iat) || !isTime(exp) || !isTime(began)) return undefined
  if (exp <= iat || exp - iat > ACCESS_TOKEN_LIFE) return undefined
  // It may come from another machine's clock than `iat`.
  if (began > iat + CLOCK_SKEW) return undefined
  if (Object.hasOwn(payload, 'scope') && !(isText(scope) && SCOPE.test(scope))) return undefined
  const claims = { iss, sub, aud, client_id, iat, exp, jti, began }
  const shared = typeof scope === 'string' ? { ...claims, scope } : claims
  return Object.hasOwn(payload, 'machine')
    ? parseMachine(payload, shared)
    : parseUser(payload, shared)
}

/** The claims that both kinds have, as they were checked. */
type Shared = SharedClaims & { readonly sub: string; readonly began: number }

function parseUser(payload: Record<string, unknown>, shared: Shared): AccessClaims | undefined {
  const { auth_time, acr, grant, pid, key_pid, sid, company } = payload
  if (isMachineSub(shared.sub) || !hasGoodCompany(payload)) return undefined
  if (!isHandle(grant) || !isTime(auth_time)) return undefined
  if (auth_time > shared.iat + CLOCK_SKEW) return undefined
  if (acr !== '1' && acr !== '2') return undefined
  if (Object.hasOwn(payload, 'pid') && !isPid(pid)) return undefined
  if (Object.hasOwn(payload, 'key_pid') && !isPid(key_pid)) return undefined
  if (Object.hasOwn(payload, 'sid') && !isHandle(sid)) return undefined
  return {
    ...{ ...shared, auth_time, acr, grant },
    ...(typeof pid === 'string' ? { pid } : {}),
    ...(typeof key_pid === 'string' ? { key_pid } : {}),
    ...(typeof sid === 'string' ? { sid } : {}),
    ...(typeof company === 'string' ? { company } : {}),
  }
}

/** The claims of a sign-in. A token with one of them is a user's, and so no machine's. */
const OF_USERS = ['auth_time', 'acr', 'amr', 'grant', 'sid', 'key_pid', 'company']

function parseMachine(payload: Record<string, unknown>, shared: Shared): MachineClaims | undefined {
  const { machine, pid } = payload
  // Readers of a list of users find no machine there, and no user has a token as a machine.
  if (machine !== true || shared.sub !== machineSub(shared.client_id)) return undefined
  if (!isPid(pid) || !isHandle(shared.jti)) return undefined
  if (OF_USERS.some((name) => Object.hasOwn(payload, name))) return undefined
  return { ...shared, pid, machine }
}

/** What the claims of a token are compared with. */
interface AccessExpectation {
  /** `https://example.com/*` for any path of an origin. */
  readonly issuer: string
  readonly audience: string
  /** Seconds since the epoch. */
  readonly now: number
  /** When the token stops to count, in seconds. Default: its own `exp`. */
  readonly until?: number
}

/**
 * The state of good claims at a time, for one resource: `live`, or the reason why they are refused. Clock skew is
 * forgiven for the beginning of a token, and not for its end.
 *
 * @example accessTokenStanding(claims, { issuer, audience, now: Math.floor(Date.now() / 1000) })
 */
export function accessTokenStanding(
  claims: AccessClaims | MachineClaims,
  { issuer, audience, now, until = claims.exp }: AccessExpectation,
): 'live' | AccessTokenFault {
  if (!isFrom(claims, issuer)) return 'issuer'
  if (claims.aud !== audience) return 'audience'
  if (claims.iat > now + CLOCK_SKEW) return 'issued-in-the-future'
  return until > now ? 'live' : 'expired'
}

function sign(
  claims: object,
  typ: string,
  { alg, kid, privateKey }: TokenSigningKey,
): Promise<string> {
  // A key from elsewhere may name any.
  const algorithm = ALGORITHMS.get(alg)
  if (!algorithm) throw new TypeError('An access token is signed by EdDSA, ES256 or RS256.')
  const signed = signCompact({ alg, typ, kid }, claims, algorithm, privateKey)
  return alg === 'ES256' ? signed.then(withLowS) : signed
}

function read(token: string, typ: string, keys: TokenVerifyKeys): Promise<object | SignatureFault> {
  const maxLength = MAX_ACCESS_TOKEN_LENGTH
  return readSigned(token, { typ, keys, maxLength, form: CANONICAL, algorithms: ALGORITHMS })
}

function isPid(value: unknown): value is string {
  return typeof value === 'string' && PID.test(value)
}

function isHandle(value: unknown): value is string {
  return typeof value === 'string' && HANDLE.test(value)
}
