import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { digest } from '../../lib/base64url.js'
import { deriveKeyRing } from '../../lib/key-ring.js'
import credentials from '../../providers/credentials.js'
import { type Browser, claimsIn, secret } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const HOUR = 3600
const DAY = 24 * HOUR
const NAME = 'auth.device'

/** A service whose people have passwords. Each browser is in a network of its own. */
function world() {
  let network = 0
  const password = credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: (fields) => (fields.password === 'right' ? { id: String(fields.username) } : null),
  })
  const made = people({ providers: [password] })
  const browser = () => {
    const one = made.browser()
    const address = `192.0.2.${network++ % 250}`
    const send = one.send.bind(one)
    one.send = (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('cf-connecting-ip', address)
      return send(path, { ...init, headers })
    }
    return one
  }
  const enter = (one: Browser, given = 'right') =>
    one.submit('/auth/callback/credentials', { username: 'ada', password: given })
  const tryCode = (one: Browser, code: string) => one.submit('/auth/factor', { code })
  return {
    ...made,
    browser,
    enter,
    tryCode,
    async signedIn() {
      const one = browser()
      await enter(one)
      return one
    },
    /** Wrong codes that are judged, before the browser is told to wait. */
    async judged(one: Browser) {
      await enter(one)
      for (let count = 0; count < 12; count++) {
        if ((await tryCode(one, '000000')).status === 429) return count
      }
      return 12
    },
    /** Uses up what strangers may try in an hour. */
    async flood() {
      for (let at = 0; at < 4; at++) {
        const stranger = browser()
        await enter(stranger)
        for (let count = 0; count < 10; count++) await tryCode(stranger, '000000')
      }
    },
    end: (sub: string) => createAuth(made.config).endSessions({ sub }, {}),
  }
}

/** Someone with a second factor, and a browser in which a code was given. */
async function withFactor() {
  const made = world()
  const owner = await made.signedIn()
  const { app, codes } = await setUpFactor(owner)
  const whole = async () => {
    const one = made.browser()
    pass(30)
    await made.enter(one)
    await made.tryCode(one, app.code())
    if (!(await one.session())) throw new Error('The code was refused.')
    return one
  }
  return { ...made, owner, app, codes, whole, sub: claimsIn(owner).sub }
}

describe('attack: browsers are known before the second factor is set up', () => {
  it('thirty sign-ins with the password alone give thirty codes an hour, and not three hundred', async () => {
    const made = world()
    const early: Browser[] = []
    for (let at = 0; at < 30; at++) early.push(await made.signedIn())
    pass(1)
    await setUpFactor(await made.signedIn())
    let judged = 0
    for (const one of early) judged += await made.judged(one)
    expect(judged).toBe(30)
  })

  it('a browser of an earlier factor is a stranger to the next one', async () => {
    const made = await withFactor()
    const early = await made.whole()
    await made.enter(made.owner)
    pass(30)
    await made.tryCode(made.owner, made.app.code())
    await made.owner.submit('/auth/factor/remove')
    pass(1)
    await setUpFactor(made.owner)
    await made.flood()
    expect(await made.judged(early)).toBe(0)
  })
})

describe('a browser in which a code was given', () => {
  it('has a count of its own, also if the code was one for recovery', async () => {
    const made = await withFactor()
    const known = await made.whole()
    const recovered = made.browser()
    await made.enter(recovered)
    await made.tryCode(recovered, made.codes[0] ?? '')
    await made.flood()
    expect(await made.judged(made.browser())).toBe(0)
    expect(await made.judged(known)).toBe(10)
    pass(900)
    expect(await made.judged(recovered)).toBe(10)
  })

  it('is that of the set-up too', async () => {
    const made = await withFactor()
    await made.flood()
    expect(await made.judged(made.owner)).toBe(10)
  })

  it('is one of eight at most: twenty browsers have eighty wrong codes in a quarter of an hour', async () => {
    const made = await withFactor()
    const known: Browser[] = []
    for (let at = 0; at < 20; at++) known.push(await made.whole())
    await made.flood()
    let judged = 0
    for (const one of known) judged += await made.judged(one)
    expect(judged).toBeGreaterThanOrEqual(10)
    expect(judged).toBeLessThanOrEqual(80)
    expect(judged % 10).toBe(0)
  })
})

describe('ending all sessions ends the devices', () => {
  it.each<[string, (made: Awaited<ReturnType<typeof withFactor>>) => Promise<unknown>]>([
    [
      '“sign out everywhere”',
      ({ owner }) => owner.submit('/auth/sessions/revoke', { session: 'all' }),
    ],
    ['endSessions, as after a change of the password', ({ end, sub }) => end(sub)],
  ])('%s: codes and passwords of a known browser count as a stranger’s', async (_, endAll) => {
    const made = await withFactor()
    const known = await made.whole()
    await endAll(made)
    pass(1)
    await made.flood()
    expect(await made.judged(known)).toBe(0)
    // They stay ended for as long as their cookie lives, and not for as long as sessions do.
    pass(75 * DAY)
    await made.flood()
    expect(await made.judged(known)).toBe(0)
    for (let count = 0; count < 110; count++) await made.enter(made.browser(), 'wrong')
    expect((await made.enter(known, 'wrong')).status).toBe(429)
  })

  it('“sign out everywhere else” leaves the browser known in which it was clicked', async () => {
    const made = await withFactor()
    const other = await made.whole()
    const own = await made.whole()
    await own.submit('/auth/sessions/revoke', { session: 'others' })
    pass(1)
    await made.flood()
    expect(await made.judged(other)).toBe(0)
    expect(await made.judged(own)).toBe(10)
  })

  it('a ledger that does not say whether they ended lets no code be tried', async () => {
    const made = await withFactor()
    const known = await made.whole()
    await made.enter(known)
    made.faults.set('isRevoked', () => Promise.reject(new Error('away')))
    const answer = await made.tryCode(known, '000000')
    expect(answer.status).toBe(503)
  })
})

describe('the cookie of a version up to 0.2', () => {
  const former = async (made: Awaited<ReturnType<typeof withFactor>>, ...keys: string[]) => {
    const until = Math.floor(Date.now() / 1000) + 90 * DAY
    const name = (key: string) => digest(['latchkey/device/v1', key], 16)
    const people = await Promise.all(
      keys.map(async (key) => [await name(key), 'b'.repeat(22), until]),
    )
    const keyRing = await deriveKeyRing([secret], Date.now)
    const one = made.browser()
    one.jar.set(NAME, await (await keyRing.sealer('device')).seal({ people }, until))
    return one
  }
  const password = async () =>
    `credentials:${await digest(['latchkey/limits/v1', 'credentials', 'ADA'], 16)}`

  it('is known for the password, and for codes if it comes from a sign-in since the set-up', async () => {
    const made = await withFactor()
    pass(1)
    const late = await former(made, await password())
    await made.flood()
    expect(await made.judged(late)).toBe(10)
    for (let count = 0; count < 110; count++) await made.enter(made.browser(), 'wrong')
    expect((await made.enter(late)).status).toBe(302)
  })

  it('attack: of a sign-in before the set-up it is unknown for codes', async () => {
    const made = world()
    const early = await former(made as never, await password())
    pass(1)
    await setUpFactor(await made.signedIn())
    await made.flood()
    expect(await made.judged(early)).toBe(0)
  })
})

it('ids of the app’s own, however long, leave the cookie below 1,600 bytes', async () => {
  const id = '\u{1f600}'.repeat(127)
  const made = people({
    subject: ({ account }) => `${account.providerAccountId}${id}`,
    providers: [
      credentials({
        credentials: { username: {}, password: { type: 'password' } },
        authorize: ({ username }) => ({ id: String(username) }),
      }),
    ],
  })
  const one = made.browser()
  for (const username of ['a', 'b', 'c', 'd']) {
    await one.submit('/auth/callback/credentials', { username, password: 'x' })
  }
  expect(`${NAME}=${one.jar.get(NAME)}`.length).toBeLessThan(1_600)
})

it('a browser without the cookie costs no call more', async () => {
  const made = await withFactor()
  const isRevoked = vi.spyOn(made.store.ledger, 'isRevoked')
  const one = made.browser()
  await made.enter(one)
  await made.tryCode(one, '000000')
  expect(isRevoked).not.toHaveBeenCalled()
})
