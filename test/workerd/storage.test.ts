import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { Browser, bindings, copyAt, countingKv, keysOf, service, signedIn } from './support.ts'

const { SESSIONS, LEDGER } = bindings
const HOUR = 60 * 60

const { pass } = clock({ start: 'now' })

describe('the contents of KV', () => {
  test('one record for each session, under session:<sub>:<sid>', async () => {
    const { browser } = await signedIn()
    const { sub, sid } = browser.claims
    expect(await keysOf(`session:${sub}:`)).toContain(`session:${sub}:${sid}`)
  })

  test('no stored value works as a credential, and no token of the provider is readable', async () => {
    const tokens: unknown[] = []
    const of = service({
      callbacks: {
        jwt: ({ token, account }) => {
          if (account) tokens.push(account.access_token, account.refresh_token)
          return account ? { ...token, access: account.access_token } : token
        },
      },
    })
    const { browser } = await signedIn(of)
    const { sub, sid } = browser.claims
    const key = `session:${sub}:${sid}`
    const stored = (await SESSIONS.get(key)) ?? ''
    expect(tokens).toHaveLength(2)
    const { sealed } = JSON.parse(stored)
    const bytes: string = sealed.split('.').at(-1)
    const plain = atob(bytes.replaceAll('-', '+').replaceAll('_', '/'))
    for (const secret of [...tokens, browser.sessionToken, 'Vic Placeholder', 'victim@']) {
      expect(stored).not.toContain(secret)
      expect(plain).not.toContain(secret)
    }
    for (const value of [stored, sealed, sid, key]) {
      const thief = new Browser(of)
      thief.cookies.set('auth.session-token', encodeURIComponent(value))
      expect(await thief.session()).toBeNull()
    }
  })

  test('a value sealed for one session does not open for another', async () => {
    const of = service()
    const [thief, victim] = [new Browser(of), new Browser(of)]
    await thief.post('/auth/callback/credentials', { username: 'thief', password: 'open sesame' })
    await victim.signIn()
    const keyOf = ({ claims }: Browser) => `session:${claims.sub}:${claims.sid}`
    const own = JSON.parse((await SESSIONS.get(keyOf(thief))) ?? '')
    const foreign = JSON.parse((await SESSIONS.get(keyOf(victim))) ?? '')
    await SESSIONS.put(keyOf(thief), JSON.stringify({ ...own, sealed: foreign.sealed }))
    pass(6 * 60)
    const answer = await thief.go('/auth/session')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toBeNull()
    expect(of.errors.map(({ name, message }) => `${name} ${message}`).join()).toMatch(/decrypted/)
  })
})

describe('the number of KV operations', () => {
  test('one write at sign-in, none by reads and renewals, one in each updateAge', async () => {
    const { kv, calls } = countingKv()
    const browser = new Browser(service({}, { SESSIONS: kv }))
    const writes = () => calls.filter((call) => call === 'put').length
    await browser.signIn()
    expect(calls).toEqual(['put'])
    for (let read = 0; read < 20; read++) await browser.session()
    expect(calls).toEqual(['put'])
    for (let hour = 1; hour < 24; hour++) {
      pass(HOUR)
      expect(await browser.session()).not.toBeNull()
    }
    expect(writes()).toBe(1)
    pass(HOUR)
    await Promise.all(Array.from({ length: 10 }, () => browser.session()))
    expect(writes()).toBe(2)
    expect(await browser.session()).not.toBeNull()
    pass(HOUR)
    await browser.session()
    expect(writes()).toBe(2)
  })

  test('one delete at sign-out', async () => {
    const { kv, calls } = countingKv()
    const { browser } = await signedIn(service({}, { SESSIONS: kv }))
    const { sub, sid } = browser.claims
    await browser.post('/auth/signout')
    await browser.settle()
    expect(calls).toEqual(['put', 'delete'])
    expect(await keysOf(`session:${sub}:${sid}`)).toEqual([])
  })
})

describe('renewing and ending', () => {
  test('an expired token is renewed by reading the session', async () => {
    const { browser } = await signedIn()
    const before = browser.sessionToken
    pass(6 * 60)
    expect((await browser.session())?.user.name).toBe('Vic Placeholder')
    expect(browser.sessionToken).not.toBe(before)
    expect(browser.sessionToken).not.toBe('')
  })

  test('HEAD renews nothing', async () => {
    const { browser } = await signedIn()
    pass(6 * 60)
    const answer = await browser.go('/auth/session', { method: 'HEAD' })
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test('after sign-out a copied cookie is not renewed, even if KV still has the record', async () => {
    const { of, browser } = await signedIn()
    const copy = copyAt(browser, of)
    const key = `session:${browser.claims.sub}:${browser.claims.sid}`
    const record = (await SESSIONS.get(key)) ?? ''
    await browser.post('/auth/signout')
    await browser.settle()
    await SESSIONS.put(key, record)
    pass(6 * 60)
    expect(await copy.session()).toBeNull()
    // Another isolate has nothing cached and asks the ledger.
    const elsewhere = new Browser({ ...service(), env: { ...of.env } })
    elsewhere.cookies.set('auth.session-token', copy.sessionToken || browser.sessionToken)
    expect(await elsewhere.session()).toBeNull()
  })

  test('an update changes only values that the app’s callbacks accept', async () => {
    const of = service({
      callbacks: {
        jwt: ({ token, trigger, session }) => {
          const { nickname } = (session ?? {}) as { nickname?: unknown }
          return trigger === 'update' ? { ...token, nickname } : token
        },
        session: ({ session, token }) => ({ ...session, nickname: token.nickname }),
      },
    })
    const { browser } = await signedIn(of)
    const { csrfToken } = await (await browser.go('/auth/csrf')).json<{ csrfToken: string }>()
    const body = JSON.stringify({ csrfToken, data: { nickname: 'Vicky', admin: true } })
    const headers = { 'content-type': 'application/json' }
    const answer = await browser.go('/auth/session', { method: 'POST', body, headers })
    expect(await answer.json()).toMatchObject({ nickname: 'Vicky' })
    pass(6 * 60)
    const session = await browser.session()
    expect(session).toMatchObject({ nickname: 'Vicky' })
    expect(session).not.toHaveProperty('admin')
    const { sub, sid } = browser.claims
    await LEDGER.get(LEDGER.idFromName('ledger')).revoke(sid, Math.floor(Date.now() / 1000) + 900)
    const late = await browser.post('/auth/session', { data: 'x' })
    expect(await late.json()).toBeNull()
    expect(await keysOf(`session:${sub}:${sid}`)).toHaveLength(1)
  })
})
