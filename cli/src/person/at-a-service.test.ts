import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { createAuth } from '@latchkey/worker'
import { operate } from '@latchkey/worker/features/operate'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { LogEvent } from '@latchkey/worker/types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOperatorKey } from '../../../test/support/operator-key.js'
import { latchkey } from '../test-support/operator-api.js'

const manage = newOperatorKey('day', 'manage')
const read = newOperatorKey('night', 'read')
const mails: string[] = []
const lines: LogEvent[] = []
const auth = createAuth({
  basePath: '/auth',
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  store: memoryStore(),
  logger: { info: (line) => void lines.push(line), warn: () => {}, error: () => {} },
  features: [operate()],
  providers: [
    email({ from: 'app@app.example', sendVerificationRequest: ({ url }) => void mails.push(url) }),
    credentials({ id: 'one', authorize: ({ id }) => ({ id: String(id), name: `${id} at one` }) }),
  ],
})
let server: Server
let base: string

beforeAll(async () => {
  const env = { AUTH_OPERATOR_KEYS: `${manage.entry},${read.entry}` }
  const fetch = (request: Request) => auth.fetch(request, env)
  server = serve({ fetch, port: 0, hostname: '127.0.0.1' }) as Server
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function person(args: readonly string[], { key } = manage) {
  const env = { LATCHKEY_URL: base, AUTH_OPERATOR_KEY: key }
  const { code, printed, noted } = await latchkey(base, ['person', ...args, '--json'], { env })
  expect(printed + noted).not.toContain(key)
  return { code, ...JSON.parse(printed) }
}

const DONE = { code: 0, done: true }

/** Signs in, and returns the cookies of the browser. */
async function signIn(id: string): Promise<string> {
  const csrf = await fetch(`${base}/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = cookiesOf(csrf)
  const body = new URLSearchParams({ csrfToken, id })
  const init = { method: 'POST', headers: { cookie }, body, redirect: 'manual' } as const
  return cookiesOf(await fetch(`${base}/callback/one`, init))
}

function cookiesOf({ headers }: Response): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

/** The claims of the session's token. */
function claimsIn(cookies: string): { readonly sub: string; readonly sid: string } {
  const [, payload = ''] = /session-token=[\w-]+[.]([\w-]+)/.exec(cookies) ?? []
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

async function isSignedIn(cookie: string): Promise<boolean> {
  const answer = await fetch(`${base}/session?online=1`, { headers: { cookie } })
  return (await answer.json()) !== null
}

test('a service has each method that the command calls, and does it', async () => {
  const laptop = await signIn('ada')
  const phone = await signIn('ada')
  const tablet = await signIn('ada')
  const { sub, sid } = claimsIn(laptop)
  const shown = await person([sub])
  expect(shown).toMatchObject({
    code: 0,
    person: { sub, blocked: null, sessions: 3, ways: 1, factors: [] },
    sessions: [{ provider: 'one' }, { provider: 'one' }, { provider: 'one' }],
    ways: [{ provider: 'one', name: 'ada at one' }],
  })

  expect(await person([sub, 'end', '--session', claimsIn(phone).sid])).toEqual(DONE)
  expect([await isSignedIn(phone), await isSignedIn(tablet)]).toEqual([false, true])
  expect(await person([sub, 'end', '--except', sid])).toEqual(DONE)
  expect([await isSignedIn(tablet), await isSignedIn(laptop)]).toEqual([false, true])
  expect(await person([sub, 'end'])).toEqual(DONE)
  expect(await isSignedIn(laptop)).toBe(false)

  expect(await person([sub, 'block', '--reason', 'spam'])).toEqual(DONE)
  expect((await person([sub])).person.blocked).toEqual({
    since: expect.any(String),
    reason: 'spam',
  })
  expect(await person([sub, 'unblock'])).toEqual(DONE)
  expect(await isSignedIn(await signIn('ada'))).toBe(true)

  expect(await person([sub, 'disconnect', 'one'])).toEqual(DONE)
  expect(await person([sub, 'reset-factors'])).toEqual(DONE)
  expect(await person([sub, 'export'])).toMatchObject({ code: 0, sub, ways: [{ provider: 'one' }] })
  expect(await person([sub, 'delete', '--yes'])).toEqual(DONE)
  expect(await person([sub, 'export'])).toMatchObject({ code: 1, error: 'NotFound' })
  expect(await person([sub])).toEqual({ code: 1, person: null, sessions: [], ways: [] })
})

/** Signs in by the link of a mail. */
async function signInByMail(address: string): Promise<string> {
  const csrf = await fetch(`${base}/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const body = new URLSearchParams({ csrfToken, email: address })
  const init = { headers: { cookie: cookiesOf(csrf) }, redirect: 'manual' } as const
  const asked = await fetch(`${base}/signin/email`, { ...init, method: 'POST', body })
  const cookie = `${cookiesOf(csrf)}; ${cookiesOf(asked)}`
  return cookiesOf(await fetch(mails.at(-1) ?? '', { ...init, headers: { cookie } }))
}

test('a person is found by a line of the log, and by the address that they sign in with', async () => {
  const { sub } = claimsIn(await signInByMail('ada@films.example'))
  const line = lines.findLast(({ event }) => event === 'sign-in')?.person ?? ''
  expect(line).not.toBe(sub)
  for (const args of [[line], ['--email', 'Ada@films.example']]) {
    expect(await person(args, read)).toMatchObject({
      code: 0,
      person: { sub },
      ways: [{ provider: 'email' }],
    })
  }
  // The log names each found person, and the key.
  const found = lines.filter(({ method }) => method === 'findPerson')
  expect(found).toMatchObject([line, line].map((one) => ({ person: one, operator: 'night' })))
  expect(await person(['--email', 'eve@films.example'])).toMatchObject({ error: 'NotFound' })
  expect(await person(['--email', 'no address'])).toMatchObject({ error: 'NotFound' })
  expect(await person(['A'.repeat(22)])).toMatchObject({ code: 1, person: null })
})

test('a key that only reads shows a person, and changes nothing', async () => {
  const { sub } = claimsIn(await signIn('eve'))
  expect(await person([sub], read)).toMatchObject({ code: 0, person: { sub } })
  for (const args of [['block'], ['end'], ['export'], ['delete', '--yes']]) {
    expect(await person([sub, ...args], read)).toMatchObject({ code: 1, error: 'ScopeRequired' })
  }
  expect((await person([sub])).person.blocked).toBeNull()
})

test('an argument that the service refuses keeps its message, without the value', async () => {
  const refused = await person(['ada', 'end', '--session', `canary${'x'.repeat(300)}`])
  expect(refused).toMatchObject({ code: 1, error: 'BadRequest' })
  expect(refused.message).toContain('session')
  expect(refused.message).not.toContain('canary')
})

test('a key that the service does not know is refused', async () => {
  const other = newOperatorKey('day', 'manage')
  expect(await person(['ada'], other)).toMatchObject({ code: 1, error: 'OperatorKeyRequired' })
})
