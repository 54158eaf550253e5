import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, setsSession } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const NAME = 'auth.session-token'

const valueIn = (browser: Browser) => browser.jar.get(NAME) ?? ''
/** A Cookie header with the sessions of several browsers under one name, in that order. */
const tossed = (...browsers: Browser[]) =>
  browsers.map((browser) => `${NAME}=${valueIn(browser)}`).join('; ')

/** The owner of the session that an isolate without any news reads. */
async function readAs(set: ReturnType<typeof deployment>, cookie: string) {
  const answer = await set.browserAt(set.isolate()).get('/auth/session', { cookie })
  const session = (await answer.json()) as { user: { id: string; name: string } } | null
  return session?.user.name ?? null
}

/** Is a session over, by the ledger's word? */
async function isOver(set: ReturnType<typeof deployment>, browser: Browser): Promise<boolean> {
  const answer = await set
    .browserAt(set.isolate())
    .get('/auth/session?online=1', { cookie: tossed(browser) })
  return (await answer.json()) === null
}

/** Posts with the sessions of all browsers. */
async function post(
  set: ReturnType<typeof deployment>,
  path: string,
  fields: object,
  ...all: Browser[]
) {
  // Its own jar, so that those of the sessions stay as they are.
  const where = set.browserAt()
  const csrfToken = await where.csrfToken()
  const cookie = `${tossed(...all)}; ${where.cookie}`
  const answer = await where.post(path, { csrfToken, ...fields }, { cookie })
  await set.settled()
  return answer
}

describe('login CSRF: a sibling host tosses a session of its own beside the victim’s', () => {
  it.each(['before', 'behind'])(
    '%s it, no user is signed in, and never the attacker',
    async (where) => {
      const set = deployment()
      const [mallory, victim] = [await set.signIn('mallory'), await set.signIn('victim')]
      const cookie = where === 'before' ? tossed(mallory, victim) : tossed(victim, mallory)
      expect(await readAs(set, cookie)).toBeNull()
      // Nor while one of the two is to be renewed.
      pass(400)
      const fresh = await set.signIn('mallory')
      const later = where === 'before' ? tossed(fresh, victim) : tossed(victim, fresh)
      expect(await readAs(set, later)).toBeNull()
    },
  )

  it('in chunks, no user is signed in', async () => {
    const set = deployment()
    const [mallory, victim] = [await set.signIn('mallory'), await set.signIn('victim')]
    const cookie = `${tossed(victim)}; ${NAME}.0=${valueIn(mallory)}`
    expect(await readAs(set, cookie)).toBeNull()
  })

  it('signing in again ends the tossed session, and the victim is signed in', async () => {
    const set = deployment()
    const [mallory, victim] = [await set.signIn('mallory'), await set.signIn('victim')]
    const before = valueIn(victim)
    const toss = valueIn(mallory)
    const csrfToken = await victim.csrfToken()
    const cookie = `${tossed(mallory)}; ${victim.cookie}`
    const fields = { csrfToken, username: 'victim' }
    const answer = await victim.post('/auth/callback/credentials', fields, { cookie })
    expect(setsSession(answer)).toBe(true)
    expect(await readAs(set, `${NAME}=${toss}; ${tossed(victim)}`)).toBe('victim')
    expect(await readAs(set, `${tossed(victim)}; ${NAME}=${before}; ${NAME}=${toss}`)).toBe(
      'victim',
    )
    expect(await isOver(set, mallory)).toBe(true)
  })

  it('a left-over cookie of a session that ended long ago signs no user out, also if its end is not announced any more', async () => {
    const set = deployment()
    const [mallory, victim] = [await set.signIn('mallory'), await set.signIn('victim')]
    const toss = valueIn(mallory)
    await mallory.submit('/auth/signout')
    pass(3_600)
    await victim.get('/auth/session')
    expect(await readAs(set, `${NAME}=${toss}; ${tossed(victim)}`)).toBe('victim')
    expect(await readAs(set, `${tossed(victim)}; ${NAME}=${toss}`)).toBe('victim')
  })

  it('if the ledger does not answer, the owner of the request is unknown: 503', async () => {
    const set = deployment()
    const [mallory, victim] = [await set.signIn('mallory'), await set.signIn('victim')]
    set.ledgers.before.set('isRevoked', () => Promise.reject(new Error('down')))
    const cookie = tossed(mallory, victim)
    expect((await victim.get('/auth/session', { cookie })).status).toBe(503)
    expect((await victim.get('/auth/session')).status).toBe(200)
  })
})

describe('a session that this isolate knows to be over', () => {
  it('is asked about nowhere, and its person is not in doubt for it: no call of the ledger', async () => {
    const set = deployment()
    const [mallory, victim] = [await set.signIn('mallory'), await set.signIn('victim')]
    const toss = valueIn(mallory)
    await mallory.submit('/auth/signout')
    set.ledgers.before.set('isRevoked', () => Promise.reject(new Error('down')))
    for (const cookie of [
      `${NAME}=${toss}; ${tossed(victim)}`,
      `${tossed(victim)}; ${NAME}=${toss}`,
    ]) {
      const answer = await victim.get('/auth/session', { cookie })
      expect(answer.status).toBe(200)
      expect(await answer.json()).toMatchObject({ user: { name: 'victim' } })
    }
  })

  it('is ended again by a sign-out, without a second event for the app', async () => {
    const signOut = vi.fn()
    const set = deployment({ events: { signOut } })
    const browser = await set.signIn('ada')
    const left = set.copyAt(browser)
    await browser.submit('/auth/signout')
    expect(signOut).toHaveBeenCalledOnce()
    const revoked = set.ledgers.count('revoke')
    expect((await left.submit('/auth/signout')).status).toBe(302)
    expect(set.ledgers.count('revoke')).toBe(revoked + 1)
    expect(signOut).toHaveBeenCalledOnce()
  })

  it('does not say whose request it is, if those of two people are beside it', async () => {
    const set = deployment()
    const over = await set.signIn('ada')
    const left = valueIn(over)
    await over.submit('/auth/sessions/revoke', { session: 'all' })
    const two = [await set.signIn('mallory'), await set.signIn('victim')]
    const where = set.browserAt()
    const csrfToken = await where.csrfToken()
    const cookie = `${NAME}=${left}; ${tossed(...two)}; ${where.cookie}`
    const fields = { csrfToken, session: 'others' }
    const answer = await where.post('/auth/sessions/revoke', fields, { cookie })
    expect(answer.headers.get('location')).toContain('/signin')
    for (const browser of two) expect(await isOver(set, browser)).toBe(false)
  })
})

describe('two sessions of one person', () => {
  it('are read by the first live one, without a call', async () => {
    const set = deployment()
    const [old, fresh] = [await set.signIn('ada'), await set.signIn('ada')]
    pass(400)
    await fresh.get('/auth/session')
    const calls = set.ledgers.count('isRevoked')
    expect(await readAs(set, tossed(old, fresh))).toBe('ada')
    expect(set.ledgers.count('isRevoked')).toBe(calls)
  })

  it('an old one that is over does not sign its person out', async () => {
    const set = deployment()
    const [old, fresh] = [await set.signIn('ada'), await set.signIn('ada')]
    const left = valueIn(old)
    await old.submit('/auth/signout')
    pass(400)
    expect(await readAs(set, `${NAME}=${left}; ${tossed(fresh)}`)).toBe('ada')
  })
})

describe('a sign-out ends every session that the browser sends', () => {
  it.each([
    ['of two people', ['mallory', 'victim']],
    ['of one person', ['ada', 'ada']],
    ['of three', ['ada', 'grace', 'eve']],
  ])('%s', async (_, names) => {
    const set = deployment()
    const all = await Promise.all(names.map((name) => set.signIn(name)))
    const answer = await post(set, '/auth/signout', {}, ...all)
    expect(answer.status).toBe(302)
    for (const browser of all) expect(await isOver(set, browser)).toBe(true)
  })

  it('one as a whole and one in chunks', async () => {
    const set = deployment()
    const [one, other] = [await set.signIn('ada'), await set.signIn('grace')]
    const csrfToken = await one.csrfToken()
    const cookie = `${one.cookie}; ${NAME}.0=${valueIn(other)}`
    await set.browserAt().post('/auth/signout', { csrfToken }, { cookie })
    expect(await isOver(set, one)).toBe(true)
    expect(await isOver(set, other)).toBe(true)
  })

  it('one of them that cannot be ended is 503, and the cookie stays for another try', async () => {
    const set = deployment()
    const all = [await set.signIn('ada'), await set.signIn('grace')]
    let calls = 0
    set.ledgers.before.set('revoke', async () => {
      if (++calls === 1) throw new Error('down')
    })
    const first = await post(set, '/auth/signout', {}, ...all)
    expect([first.status, first.headers.getSetCookie()]).toEqual([503, []])
    await post(set, '/auth/signout', {}, ...all)
    for (const browser of all) expect(await isOver(set, browser)).toBe(true)
  })

  it('hundreds of tokens are eight calls of the ledger at most', async () => {
    const set = deployment()
    const own = await set.signIn('ada')
    const many: Browser[] = []
    for (let at = 0; at < 30; at++) many.push(await set.signIn(`p${at}`))
    const calls = set.ledgers.calls.length
    const answer = await post(set, '/auth/signout', {}, ...many, ...many, own)
    expect(answer.status).toBe(302)
    // One look at each, since they are of several people, and one end of each.
    expect(set.ledgers.calls.length - calls).toBeLessThanOrEqual(2 * 8)
    expect(set.ledgers.count('revoke')).toBeLessThanOrEqual(8)
    expect(await isOver(set, own)).toBe(true)
  })

  it('hundreds of forged ones before it leave the own one where it is found', async () => {
    const set = deployment()
    const own = await set.signIn('ada')
    const forged = Array.from({ length: 300 }, (_, at) => `${NAME}=forged.${at}.x`).join('; ')
    expect(await readAs(set, `${forged}; ${tossed(own)}`)).toBe('ada')
  })
})

describe('signing out everywhere, if a browser sends several sessions', () => {
  it('for two people ends both and asks for a sign-in', async () => {
    const set = deployment()
    const all = [await set.signIn('mallory'), await set.signIn('victim')]
    const answer = await post(set, '/auth/sessions/revoke', { session: 'all' }, ...all)
    expect(answer.headers.get('location')).toContain('/signin')
    for (const browser of all) expect(await isOver(set, browser)).toBe(true)
  })

  it('for two people ends none if only the others are to end: the own one is unknown', async () => {
    const set = deployment()
    const all = [await set.signIn('mallory'), await set.signIn('victim')]
    const answer = await post(set, '/auth/sessions/revoke', { session: 'others' }, ...all)
    expect(answer.headers.get('location')).toContain('/signin')
    for (const browser of all) expect(await isOver(set, browser)).toBe(false)
  })

  it('the own one by its id ends the other one of this browser too, whose cookie goes with it', async () => {
    const set = deployment()
    const all = [await set.signIn('ada'), await set.signIn('ada')] as [Browser, Browser]
    await post(set, '/auth/sessions/revoke', { session: claimsIn(all[0]).sid }, ...all)
    for (const browser of all) expect(await isOver(set, browser)).toBe(true)
  })
})
