import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, setsSession } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { hangs } from '../test-support/faulty.js'
import { waitedFor } from '../test-support/time.js'

const { advance } = clock({ timers: true })

const throws = () => Promise.reject(new Error('KV GET failed: 500'))

type Set = ReturnType<typeof deployment>
type Fault = (set: Set, key: string) => void

/** One fault, and the operations that it affects. */
const faults: Record<string, Fault> = {
  'KV throws': ({ kv }) => {
    for (const name of ['get', 'put', 'delete', 'list']) kv.before.set(name, throws)
  },
  'KV hangs': ({ kv }) => {
    for (const name of ['get', 'put', 'delete', 'list']) kv.before.set(name, hangs)
  },
  'KV takes no writes (429)': ({ kv }) => {
    for (const name of ['put', 'delete']) kv.before.set(name, throws)
  },
  'KV shows nothing': ({ kv }, key) => kv.damaged.set(key, 'null'),
  'KV shows rubbish': ({ kv }, key) => kv.damaged.set(key, '{"v":1'),
  'the ledger throws': ({ ledgers }) => {
    for (const name of LEDGER) ledgers.before.set(name, throws)
  },
  'the ledger hangs': ({ ledgers }) => {
    for (const name of LEDGER) ledgers.before.set(name, hangs)
  },
}
const LEDGER = [
  'consume',
  'enter',
  'document',
  'revoke',
  'isRevoked',
  'cutOff',
  'revokedSince',
] as const

const requests: Record<string, (browser: Browser, csrfToken: string) => Promise<Response>> = {
  'GET /session': (browser) => browser.get('/auth/session'),
  'GET /session?online=1': (browser) => browser.get('/auth/session?online=1'),
  'POST /session': (browser, csrfToken) => browser.post('/auth/session', { csrfToken, data: 'x' }),
  'GET /renew': (browser) => browser.get('/auth/renew?callbackUrl=/inbox'),
  'GET /sessions': (browser) => browser.get('/auth/sessions'),
  'GET /account': (browser) => browser.get('/auth/account'),
  'GET /revocations': (browser) => browser.get('/auth/revocations'),
  'POST /sessions/revoke others': (browser, csrfToken) =>
    browser.post('/auth/sessions/revoke', { csrfToken, session: 'others' }),
}

const ages = { due: 280, expired: 360, 'to be extended': 25 * 60 * 60 }
const cases = Object.keys(faults).flatMap((fault) =>
  Object.keys(requests).flatMap((request) =>
    Object.keys(ages).map((age) => [fault, request, age] as const),
  ),
)

/** The longest delay of an answer by one store that hangs (docs/storage.md). Milliseconds. */
const LIMIT = 7_000

describe('a fault signs no user out, delays no answer for long, and has no lasting effect', () => {
  it.each(cases)('%s: %s, a token that is %s', async (fault, request, age) => {
    const set = deployment({ callbacks: { jwt: ({ token }) => token } })
    const browser = await set.signIn()
    const other = await set.signIn()
    const { sub, sid } = claimsIn(browser)
    await advance(ages[age as keyof typeof ages] * 1000)
    const csrfToken = await browser.csrfToken()
    const reader = set.copyAt(browser, set.isolate('elsewhere'))
    faults[fault]?.(set, `session:${sub}:${sid}`)
    const before = Date.now()
    const answer = await waitedFor(requests[request]?.(reader, csrfToken) as Promise<Response>)
    expect(Date.now() - before).toBeLessThanOrEqual(LIMIT)
    expect([200, 302, 503]).toContain(answer.status)
    const body = await answer.text()
    expect(body).not.toMatch(/KV GET|[Tt]he ledger|Could not/)
    expect(reader.jar.has('auth.session-token')).toBe(true)
    expect(claimsIn(reader).sid).toBe(sid)
    set.kv.before.clear()
    set.kv.damaged.clear()
    set.ledgers.before.clear()
    await advance(6_000)
    expect(await waitedFor(reader.session())).not.toBeNull()
    if (!request.startsWith('POST /sessions')) expect(await other.session()).not.toBeNull()
  })
})

describe('no fault signs a user in', () => {
  it.each(Object.keys(faults))('%s: a session that is over stays so', async (fault) => {
    const set = deployment()
    const browser = await set.signIn()
    const { sub, sid } = claimsIn(browser)
    const { cookie } = browser
    const key = `session:${sub}:${sid}`
    const record = set.kv.value(key) ?? ''
    await advance(1_000)
    await waitedFor(browser.submit('/auth/signout'))
    await waitedFor(set.settled())
    set.kv.damaged.set(key, record)
    await advance(5_000)
    const isolates = [set.here, set.isolate('elsewhere')]
    for (const where of isolates) await set.copyAt(browser, where).get('/auth/session', { cookie })
    if (!fault.startsWith('KV shows')) faults[fault]?.(set, key)
    for (const seconds of [0, 360]) {
      await advance(seconds * 1000)
      for (const where of isolates) {
        const copy = set.copyAt(browser, where)
        const answer = await waitedFor(copy.get('/auth/session', { cookie }))
        expect(await answer.text()).not.toContain('ada')
        expect(setsSession(answer)).toBe(false)
        expect(copy.jar.has('auth.session-token')).toBe(false)
      }
    }
  })
})
