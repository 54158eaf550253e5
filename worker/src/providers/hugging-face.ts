import { withOptions } from '../config/preset.js'
import { openid as kind } from '../features/openid/kind.js'
import type { OAuthUserConfig, OIDCConfig, Profile } from '../types.js'

/** The claims of Hugging Face. */
export interface HuggingFaceProfile extends Profile {
  sub: string
  /** The user name, which its owner may change. */
  preferred_username?: string
  /** The address of the person's page. */
  profile?: string
  isPro?: boolean
}

/**
 * Sign-in with Hugging Face.
 *
 * The client id and secret come from the options or from `AUTH_HUGGING_FACE_ID` and
 * `AUTH_HUGGING_FACE_SECRET`. Register `{origin}/auth/callback/hugging-face` as redirect URL of an OAuth app, and tick
 * the scopes `openid`, `profile` and `email` there.
 *
 * Tokens live for eight hours.
 *
 * @see https://huggingface.co/docs/hub/oauth
 *
 * @example
 * huggingFace({ scope: 'openid profile email read-repos' })
 */
export default function huggingFace(
  options: OAuthUserConfig<HuggingFaceProfile> = {},
): OIDCConfig<HuggingFaceProfile> {
  const preset: OIDCConfig<HuggingFaceProfile> = {
    id: 'hugging-face',
    name: 'Hugging Face',
    type: 'oidc',
    kind,
    issuer: 'https://huggingface.co',
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    style: { brandColor: '#ffd21e', text: '#000000' },
  }
  return withOptions(preset, options)
}
