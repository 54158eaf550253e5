import { createAuthenticator } from '@latchkey/session/testing'
import passkey from '../providers/passkey.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig, PasskeyUserConfig } from '../types.js'
import { type Browser, origin } from './browser.js'
import { mailProvider } from './email.js'
import { accountsAt, people } from './people.js'

type Authenticator = ReturnType<typeof createAuthenticator>
type Created = Awaited<ReturnType<Authenticator['create']>>
type Asserted = Awaited<ReturnType<Authenticator['get']>>
export type Credential = Created | Asserted

/** Options of either kind, as the service answers them. */
type Options = Parameters<Authenticator['create']>[0] & Parameters<Authenticator['get']>[0]
/** Members that the authenticator does not read are there too. */
type PublicKey = Options & Record<string, unknown>

/** An answer of a JSON route. */
export interface JsonAnswer {
  readonly status: number
  readonly url?: string
  readonly error?: string
  readonly code?: string
  readonly publicKey: PublicKey
}

/** A service with passkeys beside two providers and mails, and people with authenticators in front of it. */
export function passkeyPeople(
  changes: Partial<AuthConfig> = {},
  { inner, ...options }: PasskeyUserConfig & { inner?: Stores } = {},
) {
  const warnings: [code: string, detail: string][] = []
  const mails: Parameters<typeof mailProvider>[0] = []
  const errors: Error[] = []
  const made = people(
    {
      providers: [
        accountsAt('one'),
        accountsAt('two'),
        mailProvider(mails),
        passkey({ rpName: 'Example', ...options }),
      ],
      logger: {
        error: (error) => void errors.push(error),
        warn: (code, detail = '') => void warnings.push([code, detail]),
        info: () => {},
      },
      ...changes,
    },
    { mails, ...(inner ? { inner } : {}) },
  )
  /** Posts JSON with the browser's csrf token. */
  async function ask(
    one: Browser,
    path: string,
    fields: object,
    headers = {},
  ): Promise<JsonAnswer> {
    const csrfToken = await one.csrfToken()
    const answer = await one.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ csrfToken, ...fields }),
    })
    const body = answer.headers.get('content-type')?.includes('json') ? await answer.json() : {}
    return { status: answer.status, ...(body as Omit<JsonAnswer, 'status'>) }
  }
  const options_ = (one: Browser, purpose: string, fields = {}) =>
    ask(one, '/auth/passkey/options', { for: purpose, ...fields })
  const post = (one: Browser, credential: unknown, fields = {}, headers = {}) =>
    ask(one, '/auth/callback/passkey', { credential, callbackUrl: '/inbox', ...fields }, headers)
  /** The credential of a ceremony that the browser has begun. */
  const credentialOf = async (
    one: Browser,
    purpose: string,
    authenticator: Authenticator,
    fields = {},
  ): Promise<Credential> => {
    const { publicKey } = await options_(one, purpose, fields)
    return purpose === 'sign-in' ? authenticator.get(publicKey) : authenticator.create(publicKey)
  }
  const end = async (
    one: Browser,
    purpose: string,
    authenticator: Authenticator,
    fields = {},
  ): Promise<JsonAnswer> => post(one, await credentialOf(one, purpose, authenticator, fields))
  return {
    ...made,
    mails,
    errors,
    warnings,
    ask,
    post,
    options: options_,
    credentialOf,
    authenticator: (more: Partial<Parameters<typeof createAuthenticator>[0]> = {}) =>
      createAuthenticator({ origin, ...more }),
    signUp: (authenticator: Authenticator, fields = {}, one = made.browser()) =>
      end(one, 'sign-up', authenticator, fields).then((answer) => ({ one, told: answer })),
    signInBy: (authenticator: Authenticator, one = made.browser()) =>
      end(one, 'sign-in', authenticator).then((answer) => ({ one, told: answer })),
    addPasskey: (one: Browser, authenticator: Authenticator, fields = {}) =>
      end(one, 'add', authenticator, fields),
  }
}
