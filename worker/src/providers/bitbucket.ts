import { withOptions } from '../config/preset.js'
import type { OAuthConfig, OAuthUserConfig, UserinfoRequest } from '../types.js'

/** The members of Bitbucket's user that are used here. */
export interface BitbucketProfile {
  /** The Atlassian account. */
  account_id: string
  display_name: string
  /** In braces. */
  uuid: string
  links?: { avatar?: { href: string } }
  /** The primary address, confirmed; from a request of its own. */
  email?: string
}

/** An entry of Bitbucket's list of addresses. */
interface Address {
  readonly email: string
  readonly is_primary: boolean
  readonly is_confirmed: boolean
}

/**
 * Sign-in with Bitbucket Cloud, by an OAuth consumer of a workspace.
 *
 * The key and secret come from the options or from `AUTH_BITBUCKET_ID` and `AUTH_BITBUCKET_SECRET`. Register
 * `{origin}/auth/callback/bitbucket` as callback URL, and tick "Account: Read" and "Account: Email".
 *
 * `email` is the primary address if it is confirmed: it takes a second request. Without that permission it is null.
 * Tokens live for two hours, and a refresh token always comes with them.
 *
 * @see https://developer.atlassian.com/cloud/bitbucket/oauth-2/
 *
 * @example bitbucket()
 */
export default function bitbucket(
  options: OAuthUserConfig<BitbucketProfile> = {},
): OAuthConfig<BitbucketProfile> {
  const preset: OAuthConfig<BitbucketProfile> = {
    id: 'bitbucket',
    name: 'Bitbucket',
    type: 'oauth',
    authorization: 'https://bitbucket.org/site/oauth2/authorize',
    token: 'https://bitbucket.org/site/oauth2/access_token',
    userinfo: { url: 'https://api.bitbucket.org/2.0/user', request: readPerson },
    client: { token_endpoint_auth_method: 'client_secret_basic' },
    profile: ({ account_id, display_name, links, email }) => ({
      id: account_id,
      name: display_name,
      email: email ?? null,
      emailVerified: true,
      image: links?.avatar?.href ?? null,
    }),
    style: { brandColor: '#0052cc', text: '#ffffff' },
  }
  return withOptions(preset, options)
}

const USER = 'https://api.bitbucket.org/2.0/user'

async function readPerson({ tokens, fetch }: UserinfoRequest): Promise<unknown> {
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const [user, emails] = await Promise.all([
    fetch(USER, { headers }),
    fetch(`${USER}/emails`, { headers }),
  ])
  if (!user.ok) throw new TypeError(`Bitbucket answered with status ${user.status}.`)
  // It answers so if the permission was not granted.
  const { values } = emails.ok ? ((await emails.json()) as { values?: unknown }) : {}
  const own = (Array.isArray(values) ? (values as Address[]) : []).find(
    (address) => address.is_primary === true && address.is_confirmed === true,
  )
  return { ...((await user.json()) as object), email: own?.email }
}
