import { isRecord, signCompact } from '@latchkey/session/internal'
import { withOptions } from '../config/preset.js'
import { optionOrVariable, variablePrefix } from '../config/variable-prefix.js'
import { ProviderMisconfigured } from '../errors.js'
import { openid as kind } from '../features/openid/kind.js'
import { APPLE } from '../lib/provider-marks.js'
import { booleanOfText } from '../sign-in/email-verified.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of Apple's ID token, and the name that the browser posts. */
export interface AppleProfile extends Profile {
  /** The same in every app of one team. */
  sub: string
  /** May be a relay of Apple's that forwards to the person's own address. */
  email?: string
  /** Is `email` such a relay? */
  is_private_email?: boolean
  /** Only at the person's first sign-in, and unsigned, since it comes through the browser. */
  user?: { name: { firstName?: string; lastName?: string } }
}

/** The team's key for Sign in with Apple. */
interface AppleKey {
  /** Ten characters. `AUTH_APPLE_TEAM_ID` */
  readonly teamId?: string
  /** Ten characters. `AUTH_APPLE_KEY_ID` */
  readonly keyId?: string
  /** Text of the .p8 file; line breaks may be written as `\n`. `AUTH_APPLE_PRIVATE_KEY` */
  readonly privateKey?: string
}

const ISSUER = 'https://appleid.apple.com'

/**
 * Sign in with Apple.
 *
 * The client id is a Services ID, from the options or from `AUTH_APPLE_ID`. The secret is made from
 * the team's key: `teamId`, `keyId` and `privateKey`, or `AUTH_APPLE_TEAM_ID`, `AUTH_APPLE_KEY_ID`
 * and `AUTH_APPLE_PRIVATE_KEY`. A secret made elsewhere (`AUTH_APPLE_SECRET`) ends after six months
 * at most. Register `{origin}/auth/callback/apple` as return URL: https, and no localhost.
 *
 * Apple tells the name at the first sign-in only, through the browser: keep it in the `signIn`
 * event if you need it later. Without it the name is `null`.
 *
 * @see https://developer.apple.com/documentation/signinwithapplerestapi
 *
 * @example
 * apple({ clientId: 'com.example.web', teamId: 'A1B2C3D4E5', keyId: 'F6G7H8I9J0', privateKey })
 */
export default function apple(
  options: OAuthUserConfig<AppleProfile> & AppleKey = {},
): OIDCConfig<AppleProfile> {
  const { teamId, keyId, privateKey, ...rest } = options
  const preset: OIDCConfig<AppleProfile> = {
    id: 'apple',
    name: 'Apple',
    type: 'oidc',
    kind,
    issuer: ISSUER,
    // Apple refuses any other response mode when it is asked for the name or the address.
    authorization: { params: { scope: 'openid name email', response_mode: 'form_post' } },
    revocation: `${ISSUER}/auth/revoke`,
    client: { token_endpoint_auth_method: 'client_secret_post' },
    idToken: true,
    conform,
    cancelErrors: ['user_cancelled_authorize'],
    profile: ({ sub, email, email_verified, user }) => ({
      id: sub,
      name: [user?.name.firstName, user?.name.lastName].filter(Boolean).join(' ').trim() || null,
      email: email_verified === true ? (email ?? null) : null,
      emailVerified: email_verified,
      image: null,
    }),
    fromEnvironment: (env, config) => {
      const prefix = variablePrefix(config.id)
      const setting = optionOrVariable(env, prefix)
      const clientId = setting('ID', config.clientId)
      const key = {
        teamId: setting('TEAM_ID', teamId),
        keyId: setting('KEY_ID', keyId),
        privateKey: setting('PRIVATE_KEY', privateKey),
      }
      const lacks = Object.values(key).includes('')
      // A secret that was made elsewhere, which Apple lets live for half a year, is all that can be without them.
      const isByKey = Object.values(key).join('') !== '' || (clientId && setting('SECRET') === '')
      if (lacks && !config.clientSecret && isByKey) {
        const names = ['TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'].map((end) => `${prefix}_${end}`)
        throw new ProviderMisconfigured(`Provider "${config.id}" needs all of ${names.join(', ')}.`)
      }
      const secret = lacks ? setting('SECRET') : secretOf(config.id, clientId, key)
      return { ...config, clientId, clientSecret: config.clientSecret || secret }
    },
    style: { brandColor: '#000000', text: '#ffffff', logo: APPLE },
  }
  return withOptions(preset, rest)
}

/** Lifetime of a client secret, which is made for one request. Seconds; Apple allows six months. */
const LIFETIME = 300

/** Makes client secrets: JWTs that are signed with the team's key. */
function secretOf(id: string, clientId: string, key: Required<AppleKey>): () => Promise<string> {
  let imported: CryptoKey | undefined
  return async () => {
    try {
      imported ??= await importKey(key.privateKey)
    } catch {
      // The error has no cause, which might quote the key.
      throw new ProviderMisconfigured(`The private key of provider "${id}" is not a .p8 file.`)
    }
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: key.teamId, sub: clientId, aud: ISSUER, iat, exp: iat + LIFETIME }
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' } as const
    return signCompact({ alg: 'ES256', kid: key.keyId }, claims, algorithm, imported)
  }
}

/** Leaner than the importer of `jose`, which reads keys of every kind. */
function importKey(pem: string): Promise<CryptoKey> {
  const base64 = pem.replace(/-----[^-]+-----|\\n|\s/g, '')
  const der = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  return crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}

/** Apple writes some booleans as text, and has the browser post the name. */
function conform(
  profile: Readonly<Record<string, unknown>>,
  response: URLSearchParams,
): Record<string, unknown> {
  const { email_verified, is_private_email, user: _, ...claims } = profile
  const name = postedName(response.get('user'))
  return {
    ...claims,
    ...(email_verified === undefined ? {} : { email_verified: booleanOfText(email_verified) }),
    ...(is_private_email === undefined
      ? {}
      : { is_private_email: booleanOfText(is_private_email) }),
    ...(name ? { user: { name } } : {}),
  }
}

/** Reads the two names and nothing else, since any page can make a browser post here. */
function postedName(json: string | null): { firstName?: string; lastName?: string } | undefined {
  try {
    const user: unknown = JSON.parse(json ?? '')
    const name = isRecord(user) && isRecord(user.name) ? user.name : {}
    const { firstName, lastName } = name
    return {
      ...(typeof firstName === 'string' ? { firstName } : {}),
      ...(typeof lastName === 'string' ? { lastName } : {}),
    }
  } catch {
    return undefined
  }
}
