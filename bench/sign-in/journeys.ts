import { Agent } from 'node:http'
import {
  type CreationOptions,
  createAuthenticator,
  type RequestOptions,
} from '@latchkey/session/testing'
import { Browser, type Server } from '../load/browser.ts'
import type { Answer } from '../load/exchange.ts'
import { ORIGIN } from '../load/services.ts'

/** A way to sign in, or what a signed-in person does often. */
export type Journey = 'OAuth' | 'link' | 'password' | 'passkey' | 'renewal'

/** Makes the browser of a person who is ready for the journey, and the journey, which alone is measured. */
export type Plan = (server: Server, number: number) => Promise<() => Promise<void>>

export function serverAt(name: string, address: URL): Server & { readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true, timeout: 3_000 })
  return { name, origin: ORIGIN, address, agent, onAnswer: () => {} }
}

/** Four requests: the csrf token, the start, the callback, and the session. */
export const byOAuth: Plan = async (server, number) => {
  const browser = new Browser(server, number)
  return async () => {
    const started = await submit(browser, '/auth/signin/videoapp')
    await comeBack(browser, new URL(locationIn(browser, started)))
    await expectUser(browser, '/auth/session')
  }
}

/** The routes of better-auth. */
export const byBetterAuth: Plan = async (server, number) => {
  const browser = new Browser(server, number)
  return async () => {
    const path = '/auth/sign-in/social'
    const fields = { provider: 'videoapp', callbackURL: '/inbox', disableRedirect: true }
    const { body } = await browser.post('start', path, fields)
    await comeBack(browser, new URL((JSON.parse(body) as { url: string }).url))
    await expectUser(browser, '/auth/get-session')
  }
}

export const journeys: Readonly<Record<Journey, Plan>> = {
  OAuth: byOAuth,

  async link(server, number) {
    const browser = new Browser(server, number)
    await submit(browser, '/auth/signin/email', { email: `person.${number}@example.com` })
    const { body } = await browser.get('read', '/last-mail')
    const { pathname, search } = new URL(body)
    return async () => {
      await expectRedirect(browser, await browser.get('callback', pathname + search))
      await expectUser(browser, '/auth/session')
    }
  },

  async password(server, number) {
    const browser = new Browser(server, number)
    return async () => {
      const path = '/auth/callback/credentials'
      await expectRedirect(browser, await submit(browser, path, { username: `person.${number}` }))
      await expectUser(browser, '/auth/session')
    }
  },

  async passkey(server, number) {
    const browser = new Browser(server, number)
    const key = createAuthenticator({ origin: ORIGIN })
    await byPasskey(browser, (options) => key.create(options), 'sign-up')
    browser.jar.clear()
    return async () => {
      await byPasskey(browser, (options) => key.get(options), 'sign-in')
      await expectUser(browser, '/auth/session')
    }
  },

  async renewal(server, number) {
    const browser = new Browser(server, number)
    await submit(browser, '/auth/callback/credentials', { username: `person.${number}` })
    return async () => {
      const answer = await browser.get('renewal', '/auth/renew?callbackUrl=/inbox')
      if (!answer.headers['set-cookie']) browser.refuse('/auth/renew', answer, 'a cookie')
    }
  },
}

/** The provider sends the browser back with a code. */
async function comeBack(browser: Browser, authorize: URL): Promise<void> {
  const state = authorize.searchParams.get('state') ?? ''
  const back = new URLSearchParams({ code: crypto.randomUUID(), state })
  expectRedirect(browser, await browser.get('callback', `/auth/callback/videoapp?${back}`))
}

async function byPasskey(
  browser: Browser,
  make: (options: CreationOptions & RequestOptions) => Promise<unknown>,
  purpose: string,
): Promise<void> {
  const asked = await submit(browser, '/auth/passkey/options', { for: purpose })
  const { publicKey } = JSON.parse(asked.body) as { publicKey: CreationOptions & RequestOptions }
  const credential = JSON.stringify(await make(publicKey))
  expectRedirect(browser, await submit(browser, '/auth/callback/passkey', { credential }))
}

async function submit(
  browser: Browser,
  path: string,
  fields: Record<string, string> = {},
): Promise<Answer> {
  const { body } = await browser.get('csrf token', '/auth/csrf')
  const { csrfToken } = JSON.parse(body) as { csrfToken: string }
  const form = new URLSearchParams({ csrfToken, callbackUrl: '/inbox', ...fields })
  return browser.post('start', path, form)
}

function locationIn(browser: Browser, answer: Answer): string {
  const { location = '' } = answer.headers
  if (answer.status !== 302) browser.refuse('/auth/signin', answer, 'a redirect')
  return location
}

function expectRedirect(browser: Browser, answer: Answer): void {
  const { pathname } = new URL(locationIn(browser, answer), ORIGIN)
  if (pathname !== '/inbox') browser.refuse('/auth/callback', answer, 'a redirect to /inbox')
}

async function expectUser(browser: Browser, path: string): Promise<void> {
  const answer = await browser.get('read', path)
  if (!answer.body.includes('"user"')) browser.refuse(path, answer, 'a session')
}
