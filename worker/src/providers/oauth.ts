import type { OAuthConfig, OAuthUserConfig, Profile } from '../types.js'

/** The required options of an OAuth 2.0 provider without a preset. */
export interface OAuthOptions<ProviderProfile = Profile> extends OAuthUserConfig<ProviderProfile> {
  /** Part of the callback URL and of the names of variables: letters, digits, `-` and `_`. */
  readonly id: string
  readonly authorization: NonNullable<OAuthUserConfig['authorization']>
  readonly token: NonNullable<OAuthUserConfig['token']>
  readonly userinfo: NonNullable<OAuthUserConfig['userinfo']>
}

/**
 * Sign-in with any OAuth 2.0 provider (RFC 6749): the generic preset.
 *
 * The client id and secret come from the options or from `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`,
 * with the id in upper case and `_` for `-`. Register `{origin}/auth/callback/<id>` as redirect
 * URI.
 *
 * Without a `profile` the standard claims are read (OpenID Connect Core, section 5.1). A `profile`
 * should give an `email` only if the provider says that it is verified. Take `oidc` if there is
 * an ID token: it is signed.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749
 *
 * @example
 * oauth<{ uid: string; nick: string }>({
 *   id: 'my-forum',
 *   name: 'My Forum',
 *   authorization: { url: 'https://forum.example/authorize', params: { scope: 'me' } },
 *   token: 'https://forum.example/token',
 *   userinfo: 'https://forum.example/me',
 *   profile: ({ uid, nick }) => ({ id: uid, name: nick, email: null, image: null }),
 * })
 */
export default function oauth<ProviderProfile = Profile>(
  options: OAuthOptions<ProviderProfile>,
): OAuthConfig<ProviderProfile> {
  return { ...options, name: options.name ?? options.id, type: 'oauth' }
}
