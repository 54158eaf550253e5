import {
  type Authenticator,
  type CreationOptions,
  createAuthenticator,
  type RequestOptions,
} from '@latchkey/session/testing'
import passkey from '@latchkey/worker/providers/passkey'
import { expect, test } from 'vitest'
import { Browser, bindings, countingKv, type Service, service } from './support.ts'

const origin = 'http://localhost:8787'

/** The questions that isolates ask every few seconds, for any user. */
const OF_ISOLATES = ['revokedSince', 'collect']

/** The service with passkeys, with a count of its calls to the ledger. */
function withPasskeys(ledgerShards: number) {
  const { kv, calls: kvCalls } = countingKv()
  const calls: string[] = []
  const LEDGER = new Proxy(bindings.LEDGER, {
    get(namespace, name) {
      const member: unknown = Reflect.get(namespace, name)
      if (typeof member !== 'function') return member
      if (name !== 'get') return member.bind(namespace)
      return (...given: unknown[]) =>
        new Proxy(member.apply(namespace, given) as object, {
          get(stub, method) {
            const call = Reflect.get(stub, method) as (...given: unknown[]) => unknown
            return (...args: unknown[]) => {
              if (!OF_ISOLATES.includes(String(method))) calls.push(String(method))
              return Reflect.apply(call, stub, args)
            }
          },
        })
    },
  })
  const providers = [passkey({ rpName: 'Example' })]
  const of = service({ ledgerShards, providers }, { LEDGER, SESSIONS: kv })
  return { of, calls, kvCalls }
}

async function finish(browser: Browser, credential: object): Promise<Response> {
  const { csrfToken } = await (await browser.go('/auth/csrf')).json<{ csrfToken: string }>()
  return browser.go('/auth/callback/passkey', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csrfToken, credential }),
  })
}

async function signUp(of: Service, key: Authenticator) {
  const browser = new Browser(of)
  const begun = await browser.post('/auth/passkey/options', { for: 'sign-up', name: 'Ada' })
  const { publicKey } = await begun.json<{ publicKey: CreationOptions }>()
  const { status } = await finish(browser, await key.create(publicKey))
  return { browser, status }
}

async function signIn(of: Service, key: Authenticator) {
  const browser = new Browser(of)
  const begun = await browser.post('/auth/passkey/options', { for: 'sign-in' })
  const { publicKey } = await begun.json<{ publicKey: RequestOptions }>()
  const { status } = await finish(browser, await key.get(publicKey))
  return { browser, status }
}

test.each([1, 4])(
  'a sign-in with a passkey is two calls of the real object and one KV write; with %i objects one more if the person is elsewhere',
  async (shards) => {
    const { of, calls, kvCalls } = withPasskeys(shards)
    for (let people = 0; people < 4; people++) {
      const key = createAuthenticator({ origin })
      const first = await signUp(of, key)
      expect(first.status).toBe(200)
      calls.length = 0
      kvCalls.length = 0
      const { browser, status } = await signIn(of, key)
      expect(status).toBe(200)
      expect(browser.claims.sub).toBe(first.browser.claims.sub)
      expect((await browser.session())?.user).toMatchObject({ name: 'Ada' })
      const isElsewhere = shards > 1 && calls.length > 2
      const read = isElsewhere ? ['document'] : []
      expect(calls).toEqual(['enter', ...read, 'changeDocument'])
      expect(kvCalls.filter((call) => call === 'put')).toHaveLength(1)
    }
  },
)

test('fifty callbacks at once with one assertion make one session at the real object', async () => {
  const { of } = withPasskeys(1)
  const key = createAuthenticator({ origin })
  await signUp(of, key)
  const browser = new Browser(of)
  const begun = await browser.post('/auth/passkey/options', { for: 'sign-in' })
  const { publicKey } = await begun.json<{ publicKey: RequestOptions }>()
  const credential = await key.get(publicKey)
  const ends = await Promise.all(
    Array.from({ length: 50 }, async () => {
      // Each in a process of its own.
      const copy = new Browser({ ...of, env: { ...of.env } })
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      return finish(copy, credential)
    }),
  )
  expect(ends.filter(({ status }) => status === 200)).toHaveLength(1)
})
