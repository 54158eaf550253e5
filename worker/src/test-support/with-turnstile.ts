import { createAuth } from '../index.js'
import credentials from '../providers/credentials.js'
import type { AuthConfig, Environment, VerificationRequest } from '../types.js'
import { Browser, configWith } from './browser.js'
import { mailProvider } from './email.js'

/** A deployment with passwords and mails, which asks a stand-in for Turnstile. */
export function withTurnstile(
  { env }: { readonly env: Environment },
  changes: Partial<AuthConfig> = {},
  more: Environment = {},
) {
  const mails: VerificationRequest[] = []
  const errors: Error[] = []
  const tried: unknown[] = []
  const config = configWith({
    providers: [mailProvider(mails), ada(tried)],
    logger: { error: (error) => void errors.push(error), warn: () => {} },
    ...changes,
  })
  const auth = createAuth(config)
  const bindings = { ...env, ...more }
  const browser = () => new Browser(config, { answer: (request) => auth.fetch(request, bindings) })
  return { mails, errors, tried, config, browser }
}

function ada(tried: unknown[]) {
  return credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: ({ username, password }) => {
      tried.push(username)
      return password === 'lovelace' ? { id: String(username), name: 'Ada' } : null
    },
  })
}
