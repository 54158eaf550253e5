import { createVerifier } from '@latchkey/session'
import { deriveSessionKeys, type RevocationFeed, signSessionToken } from '@latchkey/session/issue'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { Ledger } from '../stores/ledger/rules.js'
import { type Browser, claimsIn, origin, secret } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'

const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start })
const now = () => Math.floor(Date.now() / 1000)
const name = (text: string | undefined) => (text ?? '').slice(0, 8)

const ask = (browser: Browser, of: string, query = '') =>
  browser.get(`/auth/revocations?of=${encodeURIComponent(of)}${query}`, { cookie: '' })

/** What the service says of these, with the published keys alone. */
async function endingsOf(browser: Browser, of: string, query = ''): Promise<RevocationFeed> {
  const answer = await ask(browser, of, query)
  expect(answer.status).toBe(200)
  const keys: JSONWebKeySet = await (await browser.get('/auth/jwks.json')).json()
  const signed = await compactVerify(await answer.text(), createLocalJWKSet(keys))
  // A reader that takes any feed for the whole one must refuse this answer.
  expect(signed.protectedHeader.typ).toBe('revocations-of+jwt')
  return JSON.parse(new TextDecoder().decode(signed.payload))
}

describe('the endings of the sessions that an app asks about', () => {
  it('lists these alone, and repeats the question', async () => {
    const { signIn, browserAt, isolate } = deployment()
    const [one, two, three, four] = [
      await signIn('ada'),
      await signIn('ada'),
      await signIn('grace'),
      await signIn('grace'),
    ]
    const [ada, grace] = [claimsIn(two), claimsIn(three)]
    const { sid: kept } = claimsIn(one)
    await three.submit('/auth/signout')
    await one.submit('/auth/sessions/revoke', { session: 'others' })
    const reader = browserAt(isolate('elsewhere'))
    const cutoff = { pid: ada.pid, until: now(), except: kept }
    const common = { iss: `${origin}/auth`, since: 0, users: [], next: now() - 5, window: 300 }
    const of = name(grace.sid) + name(grace.pid)
    expect(await endingsOf(reader, of)).toEqual({
      ...{ ...common, of, sids: [grace.sid] },
      // The latest of all is always there: a token without `pid` might be its user's.
      cutoffs: [cutoff],
    })
    const live = name(claimsIn(four).sid)
    expect((await endingsOf(reader, live)).sids).toEqual([])
    expect((await endingsOf(reader, name(ada.pid) + live)).cutoffs).toEqual([cutoff])
  })

  it('is all that is known, whatever `since` and `pages` say', async () => {
    const { signIn, browserAt } = deployment()
    const browser = await signIn()
    const { sid } = claimsIn(browser)
    await browser.submit('/auth/signout')
    pass(30)
    const { sids, since } = await endingsOf(browserAt(), name(sid), `&since=${now()}&pages=1`)
    expect([sids, since]).toEqual([[sid], 0])
  })

  it('is known as soon as the feed has it, to an isolate that was asked before', async () => {
    const { signIn, browserAt, isolate } = deployment()
    const reader = browserAt(isolate('elsewhere'))
    await endingsOf(reader, 'AAAAAAAA')
    const [one, two] = [await signIn(), await signIn('grace')]
    const [ended, person] = [claimsIn(one).sid, claimsIn(two).pid]
    await one.submit('/auth/signout')
    await two.submit('/auth/sessions/revoke', { session: 'all' })
    pass(5)
    const { sids, cutoffs } = await endingsOf(reader, name(ended) + name(person))
    expect(sids).toContain(ended)
    expect(cutoffs?.map(({ pid }) => pid)).toEqual([person])
  })

  it('has a session that ended in the isolate itself at once', async () => {
    const { signIn, browserAt } = deployment()
    const browser = await signIn()
    const { sid } = claimsIn(browser)
    await endingsOf(browserAt(), name(sid))
    await browser.submit('/auth/signout')
    expect((await endingsOf(browserAt(), name(sid))).sids).toEqual([sid])
  })

  it('for a person who signs out everywhere several times it has the last time', async () => {
    const { signIn, browserAt, isolate } = deployment()
    const reader = browserAt(isolate('elsewhere'))
    let pid = ''
    for (let count = 0; count < 5; count++) {
      const browser = await signIn()
      pid = claimsIn(browser).pid ?? ''
      await browser.submit('/auth/sessions/revoke', { session: 'all' })
      pass(5)
      expect((await endingsOf(reader, name(pid))).cutoffs).toHaveLength(1)
    }
  })

  it('is forgotten within twice the time that it matters', async () => {
    const { signIn, browserAt, isolate } = deployment()
    const reader = browserAt(isolate('elsewhere'))
    const browser = await signIn()
    const { sid } = claimsIn(browser)
    await endingsOf(reader, name(sid))
    await browser.submit('/auth/signout')
    const known: number[] = []
    for (let time = 0; time <= 800; time += 40) {
      pass(40)
      if ((await endingsOf(reader, name(sid))).sids.length > 0) known.push(time)
    }
    expect(known.at(-1)).toBeGreaterThanOrEqual(320)
    expect(known.at(-1)).toBeLessThanOrEqual(760)
  })

  it.each([
    ['nothing', ''],
    ['a part of a name', 'AAAAAAA'],
    ['a name and a part of one', 'AAAAAAAAA'],
    ['a comma', 'AAAAAAAA,AAAAAAA'],
    ['a letter that no name has', 'AAAAAAA!'],
    ['a line end', 'AAAAAAAA\n'],
    ['481 names', 'AAAAAAAA'.repeat(481)],
  ])('%s is a 400', async (_, of) => {
    const { browserAt } = deployment()
    const answer = await ask(browserAt(), of)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toBe(
      '"of" is up to 480 names of 8 characters, without anything between.',
    )
  })

  it('may be of 480 names, which costs the ledger no call', async () => {
    const { browserAt, ledgers } = deployment()
    const reader = browserAt()
    await endingsOf(reader, 'AAAAAAAA')
    const calls = ledgers.calls.length
    const of = Array.from({ length: 480 }, (_, index) => String(index).padStart(8, '-')).join('')
    expect((await endingsOf(reader, of)).of).toBe(of)
    expect(ledgers.calls.length).toBe(calls)
  })

  it('while the ledger was never reached is a 503', async () => {
    const { browserAt, ledgers } = deployment()
    ledgers.before.set('revokedSince', fails)
    expect((await ask(browserAt(), 'AAAAAAAA')).status).toBe(503)
  })
})

it('an app that starts beside 70,000 ended sessions reads one page, and asks about its own', async () => {
  const { isolate, browserAt, ledgers } = deployment()
  const isolated = isolate('one')
  await browserAt(isolated).get('/auth/revocations')
  const ledger = ledgers.objects.get('ledger') as Ledger
  const handle = (index: number) => `${String(index).padStart(8, '0')}${'x'.repeat(14)}`
  for (let second = 0; second < 350; second++) {
    for (let index = 0; index < 200; index++) {
      await ledger.revoke(handle(second * 200 + index), now() + 900)
    }
    pass(1)
  }
  pass(6)
  const lengths: [string, number][] = []
  const verifier = createVerifier({
    worker: `${origin}/auth`,
    fetch: async (input, init) => {
      const found = await isolated.answer(new Request(String(input), init))
      const { pathname, searchParams } = new URL(String(input))
      if (pathname === '/auth/revocations') {
        const kind = searchParams.has('of') ? 'question' : 'page'
        lengths.push([kind, (await found.clone().text()).length])
      }
      return found
    },
    onError: () => {},
  })
  const { signing } = await deriveSessionKeys([secret])
  const isLive = async (sid: string) => {
    const times = { iat: now() - 100, auth_time: now() - 400, exp: now() + 200, sexp: now() + 900 }
    const claims = { iss: `${origin}/auth`, sub: 'x', sid, amr: ['x'], session: {} }
    const pid = 'p'.repeat(12)
    const token = await signSessionToken({ ...claims, ...times, pid }, signing)
    return (await verifier.read(`auth.session-token=${token}`)).session !== null
  }
  while ((await browserAt(isolated).get('/auth/revocations?pages=1')).status !== 200) pass(4)
  const found = [handle(0), handle(35_000), handle(69_999), handle(70_000)].map(isLive)
  expect(await Promise.all(found)).toEqual([false, false, false, true])
  verifier.close()
  expect(lengths.map(([kind]) => kind)).toEqual(['page', 'question'])
  expect(lengths[0]?.[1]).toBeLessThanOrEqual(256 * 1024)
  expect(lengths[1]?.[1]).toBeLessThan(1_000)
})
