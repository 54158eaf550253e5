import { deriveAccessKeys } from '../token/access-keys.js'
import {
  ACCESS_TOKEN_LIFE,
  type AccessClaims,
  type MachineClaims,
  signAccessToken,
} from '../token/access-token.js'
import { machineSub } from '../token/claims.js'
import type { Acr } from '../token/is-enough.js'
import { configuredSecrets } from '../token/secrets.js'

/** The user, the app and the resource of a minted access token. */
export interface MintAccessTokenOptions {
  /** The secret of the service under test. */
  readonly secret: string | readonly string[]
  /** Public origin and base path of the service. */
  readonly issuer: string
  /** The resource: the `audience` of your verifier, to the letter. */
  readonly audience: string
  /** Default `test-user`. */
  readonly sub?: string | undefined
  /** The app that has the token. Default `test-app`. */
  readonly clientId?: string | undefined
  /** The scopes that are granted, separated by spaces. Default: none. */
  readonly scope?: string | undefined
  /**
   * When the user signed in: seconds since the epoch, not later than now. Default: when the token was issued. For
   * tests of `maxAge`.
   */
  readonly authTime?: number | undefined
  /** Default `'1'`. */
  readonly acr?: Acr | undefined
  /**
   * `true`: the token of a machine, an app that acts for itself, which a verifier takes if its option `machine` says so. It has
   * no `authTime` and no `acr`, and its `sub` follows from `clientId`. Default `false`.
   */
  readonly machine?: boolean | undefined
  /** How long the token lives, in seconds, at most 300; below zero it has ended. Default 300. */
  readonly tokenMaxAge?: number | undefined
  /** Milliseconds since the epoch. */
  readonly now?: (() => number) | undefined
}

/** An access token as an app sends it. */
export interface MintedAccessToken<Claims = AccessClaims> {
  readonly token: string
  /** For an `Authorization` header. */
  readonly authorization: string
  readonly claims: Claims
}

/**
 * An access token for an API's own tests, which then need no service. A verifier with that `secret` and `issuer` takes
 * it. Its signature is genuine: keep the secret of a real service out of tests.
 *
 * @example
 * const { authorization } = await mintAccessToken({ secret, issuer, audience, scope: 'notes:read' })
 * const response = await fetch(url, { headers: { authorization } })
 * @throws {SecretError} when the secret is too short
 * @throws {TypeError} when `tokenMaxAge` is above 300, or a machine has a `sub`, an `authTime` or an `acr`
 */
export function mintAccessToken(
  options: MintAccessTokenOptions & { readonly machine: true },
): Promise<MintedAccessToken<MachineClaims>>
export function mintAccessToken(options: MintAccessTokenOptions): Promise<MintedAccessToken>
export async function mintAccessToken(
  options: MintAccessTokenOptions,
): Promise<MintedAccessToken<AccessClaims | MachineClaims>> {
  const { secret, issuer, audience, sub = 'test-user', clientId = 'test-app', scope } = options
  const { acr = '1', tokenMaxAge = ACCESS_TOKEN_LIFE, now = Date.now } = options
  if (!(tokenMaxAge <= ACCESS_TOKEN_LIFE)) {
    throw new TypeError('`tokenMaxAge` of an access token is at most 300 seconds.')
  }
  const time = Math.floor(now() / 1000)
  const exp = time + Math.floor(tokenMaxAge)
  // A token that has ended must have been issued before its end.
  const iat = Math.min(time, exp - 1)
  const authTime = Math.floor(options.authTime ?? iat)
  const shared = {
    ...{ iss: issuer, aud: audience, client_id: clientId, iat, exp, jti: randomName() },
    ...(scope === undefined || scope === '' ? {} : { scope }),
  }
  const claims: AccessClaims | MachineClaims = options.machine
    ? machineClaims(options, { ...shared, began: iat })
    : { ...shared, sub, auth_time: authTime, acr, grant: randomName(), began: authTime }
  const [key] = await deriveAccessKeys(configuredSecrets(secret), 'EdDSA')
  const token = await signAccessToken(claims, key)
  return { token, authorization: `Bearer ${token}`, claims }
}

function machineClaims(
  { sub, authTime, acr }: MintAccessTokenOptions,
  shared: Omit<MachineClaims, 'sub' | 'pid' | 'machine'>,
): MachineClaims {
  // They would be without effect, so a test with them would prove nothing.
  if (sub !== undefined || authTime !== undefined || acr !== undefined) {
    throw new TypeError('A machine has no `sub` of its own, no `authTime` and no `acr`.')
  }
  return { ...shared, sub: machineSub(shared.client_id), pid: randomName(), machine: true }
}

function randomName(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
