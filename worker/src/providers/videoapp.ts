import { textOf } from '@latchkey/host/shared'
import { endpointParts, withOptions } from '../config/preset.js'
import { optionOrVariable } from '../config/variable-prefix.js'
import { OAuthCallbackError } from '../errors.js'
import { ownDetail, printable } from '../lib/printable.js'
import { VIDEOAPP } from '../lib/provider-marks.js'
import { customFetch } from '../lib/symbols.js'
import type { Environment, OAuthConfig, OAuthUserConfig, TokenSet } from '../types.js'

/** The person's profile. Its fields depend on `fields` and on the granted scope. */
export interface VideoUser {
  /** Identifies the person within this app (the client). Scope `user.info.basic`. */
  open_id: string
  /** Identifies the person across the apps of one developer. Scope `user.info.basic`. */
  union_id?: string
  /** Profile image. Scope `user.info.basic`. */
  avatar_url: string
  /** Profile image, 100x100. Scope `user.info.basic`. */
  avatar_url_100?: string
  /** Profile image of higher resolution. Scope `user.info.basic`. */
  avatar_large_url?: string
  /** Display name, chosen freely. Scope `user.info.basic`. */
  display_name: string
  /**
   * Handle; chosen freely, so it may look like another person's email address. Scope
   * `user.info.profile`.
   */
  username: string
  /** The person's own description. Scope `user.info.profile`. */
  bio_description?: string
  /** Link to the profile. Scope `user.info.profile`. */
  profile_deep_link?: string
  /** Whether the verified badge has been granted. Scope `user.info.profile`. */
  is_verified?: boolean
  /** Scope `user.info.stats`. */
  follower_count?: number
  /** Scope `user.info.stats`. */
  following_count?: number
  /** Likes over all videos. Scope `user.info.stats`. */
  likes_count?: number
  /** Number of public videos. Scope `user.info.stats`. */
  video_count?: number
  /** Never set: the provider does not support it. */
  email?: string
}

/** The answer of the user-info endpoint. */
export interface VideoProviderProfile {
  data: { user: VideoUser }
  /** `code` is `ok` on success; any other value is a failure. */
  error: {
    /** The error category. */
    code: string
    /** For the provider's support. */
    log_id: string
    message: string
  }
  /** The same person as `data.user`. */
  user: VideoUser
}

const FIELDS = 'open_id,avatar_url,display_name,username'

/**
 * Sign-in with the short-video app.
 *
 * The client key and secret come from the options or from `AUTH_VIDEO_ID` and
 * `AUTH_VIDEO_SECRET`; the endpoints from the options or from `AUTH_VIDEO_AUTHORIZATION_URL`,
 * `AUTH_VIDEO_TOKEN_URL` and `AUTH_VIDEO_USERINFO_URL`. Register
 * `{origin}/auth/callback/videoapp` as redirect URI.
 *
 * The `email` of the user is the handle when there is no address. It is unverified, and never a
 * mailbox or a reason to link accounts.
 *
 * @example
 * videoapp({ scope: 'user.info.profile,user.info.stats' })
 */
export default function videoapp(options: Options = {}): OAuthConfig<VideoProviderProfile> {
  const { clientId } = options
  const token = endpointParts(options.token).url ?? 'https://open.tiktokapis.com/v2/oauth/token/'
  const preset: OAuthConfig<VideoProviderProfile> = {
    id: 'videoapp',
    name: 'Video App',
    type: 'oauth',
    variables: 'AUTH_VIDEO',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    authorization: {
      url: 'https://www.tiktok.com/v2/auth/authorize/',
      params: { client_key: clientId, scope: 'user.info.profile' },
    },
    token,
    userinfo: { url: 'https://open.tiktokapis.com/v2/user/info/', params: { fields: FIELDS } },
    // The endpoint is beside the token endpoint, also in the sandbox.
    ...(token.endsWith('/token/') ? { revocation: token.replace(/token\/$/, 'revoke/') } : {}),
    revokes: 'access_token',
    scopeSeparator: ',',
    conform: withUser,
    profile: userOf,
    userinfoUrl: withGrantedFields,
    style: { brandColor: '#111111', text: '#ffffff', logo: VIDEOAPP },
    fromEnvironment: (env, config) => ({
      ...videoapp(withEnvironment(options, env)),
      ...changedMembers(provider, config),
    }),
  }
  const provider: OAuthConfig<VideoProviderProfile> = {
    ...withOptions(preset, options),
    [customFetch]: (input, init) => {
      const next = options[customFetch] ?? fetch
      return next(input, isClientRequest(input) ? withClientKey(init, clientId) : init)
    },
  }
  return provider
}

type Options = OAuthUserConfig<VideoProviderProfile>

/** The options, completed from the environment. */
function withEnvironment(options: Options, env: Environment): Options {
  const setting = optionOrVariable(env, 'AUTH_VIDEO')
  const open: Record<string, unknown> = {
    clientId: setting('ID', options.clientId) || undefined,
    clientSecret: setting('SECRET', options.clientSecret) || undefined,
  }
  for (const [name, variable] of [
    ['authorization', 'AUTH_VIDEO_AUTHORIZATION_URL'],
    ['token', 'AUTH_VIDEO_TOKEN_URL'],
    ['userinfo', 'AUTH_VIDEO_USERINFO_URL'],
  ] as const) {
    // Parameters in the options and an address in the environment go together.
    const { url = textOf(env, variable), params = {} } = endpointParts(options[name])
    if (url) open[name] = { url, params }
  }
  return { ...options, ...open }
}

/** The members of the preset that a caller has replaced, as in `{ ...videoapp(), id: 'mine' }`. */
function changedMembers(
  provider: OAuthConfig<VideoProviderProfile>,
  config: OAuthConfig<VideoProviderProfile>,
): Partial<OAuthConfig<VideoProviderProfile>> {
  const changed = Reflect.ownKeys(config).filter(
    (key) => Reflect.get(config, key) !== Reflect.get(provider, key),
  )
  return Object.fromEntries(changed.map((key) => [key, Reflect.get(config, key)]))
}

/** Is a request to the token or the revocation endpoint? */
function isClientRequest(input: RequestInfo | URL): boolean {
  const address = input instanceof Request ? input.url : String(input)
  return /^[^?#]*\/(?:token|revoke)\/(?:[?#]|$)/.test(address)
}

/** These endpoints take forms only, and identify the client by `client_key`. */
function withClientKey(init: RequestInit = {}, clientKey?: string): RequestInit {
  const body = new URLSearchParams(init.body as URLSearchParams | string)
  const key = clientKey ?? body.get('client_id')
  if (key !== null) body.set('client_key', key)
  const headers = new Headers(init.headers as HeadersInit)
  headers.set('content-type', 'application/x-www-form-urlencoded')
  return { ...init, headers, body }
}

/**
 * A person may grant a part of the requested scope, and a field outside the granted scope is an
 * error of the whole request: only fields that were granted are asked for.
 */
function withGrantedFields(url: URL, { scope }: TokenSet): URL {
  if (typeof scope !== 'string' || scope === '') return url
  const granted = new Set(scope.split(/[\s,]+/))
  const fields = (url.searchParams.get('fields') ?? FIELDS).split(',').filter((field) => {
    const needed = scopeOf(field.trim())
    return needed === undefined || granted.has(needed)
  })
  url.searchParams.set('fields', fields.join(','))
  return url
}

/** The scope that grants a field; `undefined` if every app has it. */
function scopeOf(field: string): string | undefined {
  if (/^(?:username|bio_description|profile_deep_link|is_verified)$/.test(field)) {
    return 'user.info.profile'
  }
  return /^(?:follower|following|likes|video)_count$/.test(field) ? 'user.info.stats' : undefined
}

/** Copies the person of `data.user` to the top level, over any person that is sent there. */
function withUser(profile: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { data, user } = profile as { data?: { user?: VideoUser } | null; user?: VideoUser }
  return { ...profile, user: data?.user ?? user }
}

function userOf({ data, error, user: top }: VideoProviderProfile, tokens?: TokenSet) {
  const log_id = printable(error?.log_id)
  if (error && error.code !== 'ok') {
    throw refusal('refused the user info', { error: printable(error.code), log_id })
  }
  const user = data?.user ?? top
  if (!user) throw refusal('sent no user', { log_id })
  // The token answer names the person too; two names mean that a token was swapped.
  if (tokens?.open_id !== undefined && tokens.open_id !== user.open_id) {
    throw refusal('named two different people', { log_id })
  }
  return {
    id: user.open_id,
    name: user.display_name,
    image: user.avatar_url,
    email: user.email || user.username || null,
  }
}

function refusal(what: string, detail: Record<string, unknown>): OAuthCallbackError {
  return new OAuthCallbackError(`The video app ${what}.`, {
    cause: ownDetail({ provider: 'videoapp', ...detail }),
  })
}
