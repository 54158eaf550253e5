import { withOptions } from '../config/preset.js'
import { booleanOfText } from '../sign-in/email-verified.js'
import type { OAuthConfig, OAuthUserConfig } from '../types.js'

/** PayPal's profile, as far as the app is allowed to see it. */
export interface PayPalProfile {
  /** An address: `https://www.paypal.com/webapps/auth/identity/user/…`. */
  user_id: string
  name?: string
  email?: string
  email_verified?: boolean
  picture?: string
}

/**
 * Log in with PayPal.
 *
 * The client id and secret come from the options or from `AUTH_PAYPAL_ID` and `AUTH_PAYPAL_SECRET`.
 * Register `{origin}/auth/callback/paypal` as return URL, and switch "Log in with PayPal" on with
 * the members that you want.
 *
 * `email` is there if PayPal has verified it. The example is for the sandbox.
 *
 * @see https://developer.paypal.com/docs/log-in-with-paypal/integrate/
 *
 * @example paypal({
 *   authorization: { url: 'https://www.sandbox.paypal.com/signin/authorize' },
 *   token: 'https://api-m.sandbox.paypal.com/v1/oauth2/token',
 *   userinfo: { url: 'https://api-m.sandbox.paypal.com/v1/identity/openidconnect/userinfo' },
 * })
 */
export default function paypal(
  options: OAuthUserConfig<PayPalProfile> = {},
): OAuthConfig<PayPalProfile> {
  const preset: OAuthConfig<PayPalProfile> = {
    id: 'paypal',
    name: 'PayPal',
    type: 'oauth',
    authorization: {
      url: 'https://www.paypal.com/signin/authorize',
      params: { scope: 'openid profile email', flowEntry: 'static' },
    },
    token: 'https://api-m.paypal.com/v1/oauth2/token',
    userinfo: {
      url: 'https://api-m.paypal.com/v1/identity/openidconnect/userinfo',
      params: { schema: 'openid' },
    },
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    // PayPal writes its booleans as text in some of its answers.
    conform: (profile) => ({
      ...profile,
      email_verified: booleanOfText(profile.email_verified),
    }),
    profile: ({ user_id, name, email, email_verified, picture }) => ({
      id: user_id,
      name: name ?? null,
      email: email_verified === true ? (email ?? null) : null,
      emailVerified: email_verified,
      image: picture ?? null,
    }),
    style: { brandColor: '#003087', text: '#ffffff' },
  }
  return withOptions(preset, options)
}
