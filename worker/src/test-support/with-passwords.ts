import { passwords } from '../features/passwords/index.js'
import password from '../providers/password.js'
import type { AuthConfig, PasswordUserConfig, VerificationRequest } from '../types.js'
import type { Browser } from './browser.js'
import { mailProvider } from './email.js'
import { accountsAt, people } from './people.js'

export const GOOD = 'a long enough phrase'
export const OTHER = 'another long phrase'
export const ADA = 'ada@mail.example'

/** People who sign in by mail, by two providers, and by passwords. */
export function withPasswords(
  options: PasswordUserConfig = {},
  changes: Partial<AuthConfig> = {},
  more: Parameters<typeof people>[1] = {},
) {
  const mails: VerificationRequest[] = more.mails ?? []
  const events: object[] = []
  const world = people(
    {
      providers: [accountsAt('one'), accountsAt('two'), mailProvider(mails), password(options)],
      features: [passwords],
      events: { password: (event) => void events.push(event) },
      ...changes,
    },
    { ...more, mails },
  )
  const sign = async (one: Browser, route: string, email: string) => {
    await one.submit(`/auth/signin/${route}`, { email, callbackUrl: '/inbox' })
    const url = new URL(mails.findLast(({ purpose }) => purpose !== 'notice')?.url ?? '')
    return one.get(url.pathname + url.search)
  }
  const set = (one: Browser, text: string, fields = {}, headers = {}) =>
    one.submit('/auth/password/set', { password: text, ...fields }, headers)
  return {
    ...world,
    events,
    set,
    /** The notices that were mailed, by their recipient and subject. */
    notices: () =>
      mails.flatMap(({ purpose, identifier, mail }) =>
        purpose === 'notice' ? `${identifier}: ${mail.subject}` : [],
      ),
    /** Signs in by a mail, as the page for new and forgotten passwords does. @returns where it ends */
    byMail: (email = ADA, one = world.browser()) => sign(one, 'password', email),
    /** Signs in with a password. */
    signInBy: (one: Browser, email: string, text: string, fields = {}, headers = {}) =>
      one.submit(
        '/auth/callback/password',
        { email, password: text, callbackUrl: '/inbox', ...fields },
        headers,
      ),
    /** A person with an address and a password, signed in by mail. */
    async signedUp(email = ADA, text = GOOD, one = world.browser()) {
      await sign(one, 'password', email)
      await set(one, text)
      return one
    },
  }
}
