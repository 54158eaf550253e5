import type { GitHubUser } from '@hono/oauth-providers/github'
import { endpointParts, instanceAt, withOptions } from '../config/preset.js'
import { GITHUB } from '../lib/provider-marks.js'
import type { OAuthConfig, OAuthUserConfig, UserinfoRequest } from '../types.js'

/** GitHub's profile: the type of `@hono/oauth-providers`, with corrections. */
export interface GitHubProfile extends Omit<GitHubUser, 'name'> {
  /** Stays the same when the person changes their `login`. */
  id: number
  name: string | null
  /** The primary address, once GitHub has verified it; never the public one of the profile. */
  email: string | null
  /** Made here: does `email` come from GitHub's list of addresses? */
  email_verified?: boolean
}

/** The options of GitHub. */
export interface GitHubOptions extends OAuthUserConfig<GitHubProfile> {
  /**
   * Your own Enterprise Server, such as `https://github.example.com`: https, with its path if it
   * has one. Default: github.com.
   */
  readonly enterprise?: { readonly baseUrl: string }
}

const USER = 'https://api.github.com/user'

/**
 * Sign-in with GitHub, as an OAuth app or a GitHub App.
 *
 * The client id and secret come from the options or from `AUTH_GITHUB_ID` and
 * `AUTH_GITHUB_SECRET`. Register `{origin}/auth/callback/github` as callback URL.
 *
 * `email` is the address that is both primary and verified, which GitHub tells in a list of its
 * own (scope `user:email`, for a GitHub App the permission "Email addresses"); without the scope
 * people are signed in without it. Tokens of an OAuth app never end; a GitHub App may have tokens
 * that do, with a refresh token. For GitHub Enterprise Server name its address.
 *
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 *
 * @example
 * github({ enterprise: { baseUrl: 'https://github.example.com' } })
 */
export default function github({
  enterprise,
  ...options
}: GitHubOptions = {}): OAuthConfig<GitHubProfile> {
  const at = instanceAt(enterprise?.baseUrl)
  const site = `${at ?? 'https://github.com'}/login/oauth`
  const preset: OAuthConfig<GitHubProfile> = {
    id: 'github',
    name: 'GitHub',
    type: 'oauth',
    authorization: {
      url: `${site}/authorize`,
      params: { scope: 'read:user user:email' },
    },
    token: `${site}/access_token`,
    userinfo: { url: at ? `${at}/api/v3/user` : USER, request: describe },
    // An invalid base URL turns the provider off: github.com is not meant.
    ...(enterprise ? { baseUrl: String(enterprise.baseUrl) } : {}),
    client: { token_endpoint_auth_method: 'client_secret_post' },
    profile: ({ id, name, login, email, email_verified, avatar_url }) => ({
      id,
      name: name ?? login,
      email,
      emailVerified: email_verified,
      image: avatar_url,
    }),
    style: { brandColor: '#24292f', text: '#ffffff', logo: GITHUB },
  }
  return withOptions(preset, options)
}

async function describe({ tokens, provider, fetch }: UserinfoRequest): Promise<unknown> {
  const { url = USER } = endpointParts(provider.userinfo)
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${tokens.access_token}`,
    'x-github-api-version': '2022-11-28',
  }
  const [user, emails] = await Promise.all([
    fetch(url, { headers }),
    fetch(`${url}/emails`, { headers }),
  ])
  if (!user.ok) throw new TypeError(`GitHub answered with status ${user.status}.`)
  // GitHub answers so when the scope was not granted. Any other failure fails the sign-in.
  const isWithheld = emails.status === 403 || emails.status === 404
  const addresses = isWithheld ? [] : ((await emails.json()) as Address[])
  const address = addresses.find(({ primary, verified }) => primary === true && verified === true)
  const described = (await user.json()) as object
  return { ...described, email: address?.email ?? null, email_verified: address !== undefined }
}

interface Address {
  email: string
  primary: boolean
  verified: boolean
}
