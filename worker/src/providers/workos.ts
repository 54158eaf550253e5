import { endpointParts, withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** WorkOS's profile. */
export interface WorkOSProfile {
  /** One person of one connection. */
  id: string
  connection_id?: string
  connection_type?: string
  organization_id?: string | null
  /** As the company's own provider says. */
  email?: string
  first_name?: string | null
  last_name?: string | null
  raw_attributes?: { picture?: string }
}

/** Options of the preset for WorkOS. */
export interface WorkOSOptions extends Omit<OAuthUserConfig<WorkOSProfile>, 'connection'> {
  /**
   * As text the WorkOS connection to ask, as in Auth.js; the same as `authorization: { params: { connection } }`, which wins. As an
   * object the scopes of a connection here, as for every provider.
   */
  readonly connection?: string | NonNullable<OAuthUserConfig['connection']>
}

/**
 * Sign-in with a company's own identity provider, by WorkOS Single Sign-On.
 *
 * The client id and the API key come from the options or from `AUTH_WORKOS_ID` and
 * `AUTH_WORKOS_SECRET`. Register `{origin}/auth/callback/workos` as redirect URI. WorkOS wants to
 * know where to ask: a connection, an organization or a provider, as in the examples or with the
 * sign-in request: `signIn('workos', {}, { organization: 'org_…' })`.
 *
 * The browser can change that parameter: check `profile.organization_id` in the `signIn` callback. `email` is null: each
 * company says what it likes, so WorkOS does not document that the address is verified. It is in `profile.email`. There
 * are no refresh tokens.
 *
 * @see https://workos.com/docs/reference/sso
 *
 * @example workos({ authorization: { params: { provider: 'authkit' } } })
 * @example workos({ connection: 'conn_…' })
 */
export default function workos(options: WorkOSOptions = {}): OAuthConfig<WorkOSProfile> {
  const preset: OAuthConfig<WorkOSProfile> = {
    id: 'workos',
    name: 'WorkOS',
    type: 'oauth',
    authorization: 'https://api.workos.com/sso/authorize',
    token: 'https://api.workos.com/sso/token',
    userinfo: 'https://api.workos.com/sso/profile',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ id, first_name, last_name, raw_attributes }) => ({
      id,
      name: [first_name, last_name].filter(Boolean).join(' '),
      email: null,
      image: raw_attributes?.picture ?? null,
    }),
    style: { brandColor: '#6363f1', text: '#ffffff' },
  }
  return withOptions(preset, asOurs(options))
}

/** Auth.js has an option of the same name for something else. */
function asOurs({ connection, ...options }: WorkOSOptions): OAuthUserConfig<WorkOSProfile> {
  if (typeof connection !== 'string') return connection ? { ...options, connection } : options
  if (connection === '') return options
  const { params, ...endpoint } = endpointParts(options.authorization)
  return { ...options, authorization: { ...endpoint, params: { connection, ...params } } }
}
