import { defaultClient, isLoopback, type SandboxClient } from './clients.js'

/** The variables that `wrangler dev` may hand to the sandbox; all optional. */
export interface SandboxVariables {
  readonly SANDBOX_CLIENT_KEY?: string
  readonly SANDBOX_CLIENT_SECRET?: string
  /** Comma separated. All on this machine: a desktop client; otherwise: a web client. */
  readonly SANDBOX_REDIRECT_URIS?: string
  /** `base64url` (default) or `hex`. */
  readonly SANDBOX_CHALLENGE?: string
  /** The key of the mailbox: a request that carries it may hand in mails. */
  readonly SANDBOX_MAILBOX_KEY?: string
}

const onThisMachine = (uri: string): boolean => {
  try {
    return isLoopback(new URL(uri).hostname)
  } catch {
    return false
  }
}

/**
 * The default client, changed by the variables that are set.
 * @throws {TypeError} for a challenge encoding that does not exist.
 */
export const clientFromEnv = (env: SandboxVariables): SandboxClient => {
  const listed = (env.SANDBOX_REDIRECT_URIS ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '')
  const redirectUris = listed.length > 0 ? listed : defaultClient.redirectUris
  const challenge = env.SANDBOX_CHALLENGE || 'base64url'
  if (challenge !== 'base64url' && challenge !== 'hex') {
    throw new TypeError(`SANDBOX_CHALLENGE is "${challenge}"; it can be base64url or hex`)
  }
  return {
    ...defaultClient,
    clientKey: env.SANDBOX_CLIENT_KEY || defaultClient.clientKey,
    clientSecret: env.SANDBOX_CLIENT_SECRET || defaultClient.clientSecret,
    type: redirectUris.every(onThisMachine) ? 'desktop' : 'web',
    redirectUris,
    challenge,
  }
}
