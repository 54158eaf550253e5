import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, claimsIn, errorOf, locationOf, setsSession } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'

const { pass } = clock({ waits: true })

const WRONG = '/auth/signin CredentialsSignin credentials'
const JSON_WANTED = { 'x-auth-return-redirect': '1' }

type World = ReturnType<typeof withPasswords>

/** A wrong password from a browser that is not known, when no limit of minutes or hours is reached. */
async function guess(world: World, email = ADA) {
  pass(3_600)
  expect(errorOf(await world.signInBy(world.browser(), email, OTHER))).toBe(WRONG)
}

/**
 * The same many times: a real guess, whose counts of the person are counted again. A hash of each would take minutes.
 *
 * @param limit the name of the count
 */
async function guesses(world: World, count: number, limit: string, email = ADA) {
  world.calls.length = 0
  await guess(world, email)
  type Args = Parameters<typeof world.inner.ledger.admit>
  const admits = world.calls.filter(({ name }) => name === 'admit')
  const found = admits.map(({ args }) => args as unknown as Args)
  const isMeant = ({ name }: { name: string }) => name === limit
  const [key = '', limits = []] = found.find((args) => args[1].some(isMeant)) ?? []
  for (let at = 1; at < count; at++) await world.inner.ledger.admit(key, limits.filter(isMeant))
}

const ROW = 'in a row'
const DAY = 'wrong in a day'

describe('tries', () => {
  it('attack: ten guesses from one network in a quarter of an hour, and no hash for the next one', async () => {
    const world = withPasswords()
    await world.signedUp()
    const one = world.browser()
    for (let at = 0; at < 10; at++) await world.signInBy(one, ADA, OTHER)
    const answer = await world.signInBy(one, ADA, GOOD, {}, JSON_WANTED)
    expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(await answer.json()).toMatchObject({ error: 'CredentialsSignin', code: 'rate_limited' })
    const page = await world.signInBy(one, ADA, GOOD)
    expect([page.status, await page.text()]).toEqual([
      429,
      expect.stringContaining('name="password"'),
    ])
  })

  it('attack: an address without an account is limited as one with an account', async () => {
    const world = withPasswords()
    const one = world.browser()
    const statuses: number[] = []
    for (let at = 0; at < 11; at++) {
      statuses.push((await world.signInBy(one, 'nobody@mail.example', OTHER)).status)
    }
    expect(statuses).toEqual([...Array(10).fill(302), 429])
  })

  it('attack: a stranger locks an owner out, but not in a browser that is known by a mail', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    await ada.submit('/auth/signout')
    for (let at = 0; at < 10; at++) await world.signInBy(world.browser(), ADA, OTHER)
    expect((await world.signInBy(world.browser(), ADA, GOOD)).status).toBe(429)
    expect(setsSession(await world.signInBy(ada, ADA, GOOD))).toBe(true)
  })

  it('attack: the current password is guessed with a stolen session', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    const thief = world.copyOf(ada)
    thief.jar.delete('auth.device')
    for (let at = 0; at < 10; at++) {
      const fields = at % 2 ? { current: `${OTHER} ${at}` } : {}
      expect(errorOf(await world.set(thief, `${OTHER} ${at}`, fields))).toMatch(/wrong_password$/)
    }
    const last = await world.set(thief, OTHER, { current: GOOD }, JSON_WANTED)
    expect([last.status, await last.json()]).toEqual([
      429,
      expect.objectContaining({ code: 'rate_limited' }),
    ])
    expect((await thief.submit('/auth/password/remove', { current: GOOD })).status).toBe(429)
  })

  it('attack: a guess as the new password, with a stolen session, is a try of the current one', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    const thief = world.copyOf(ada)
    thief.jar.delete('auth.device')
    for (let at = 0; at < 10; at++) await world.set(thief, `${OTHER} ${at}`)
    expect((await world.set(thief, GOOD)).status).toBe(429)
  })

  it('attack: two guesses in one form with a stolen session, one as the current password and one as the new one', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    const thief = world.copyOf(ada)
    thief.jar.delete('auth.device')
    for (let at = 0; at < 5; at++) {
      const fields = { current: `a wrong password ${at}` }
      expect(errorOf(await world.set(thief, `${OTHER} ${at}`, fields))).toMatch(/wrong_password$/)
    }
    expect((await world.set(thief, GOOD, { current: OTHER })).status).toBe(429)
    // The tenth text, of the fifth form.
    await expect.poll(() => world.notices().at(-1)).toMatch(/Wrong passwords/)
    pass(900)
    for (let at = 0; at < 4; at++) {
      const fields = { current: `a wrong password ${at}` }
      await world.set(thief, `${OTHER} ${at}`, fields)
    }
    // The form that was sent twice: the new password is kept already.
    expect(errorOf(await world.set(thief, GOOD, { current: OTHER }))).toBe('/auth/account')
    expect(world.events).toHaveLength(1)
  })

  it('attack: a stranger who guesses keeps an owner from changing the password in a known browser', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    for (let at = 0; at < 10; at++) await world.signInBy(world.browser(), ADA, OTHER)
    expect(errorOf(await world.set(ada, OTHER, { current: GOOD }))).toBe('/auth/account')
  })

  it('attack: many networks guess at one address, and a hundred in an hour is all', async () => {
    const world = withPasswords()
    await world.signedUp()
    world.calls.length = 0
    await world.signInBy(world.browser(), ADA, OTHER)
    const [key, limits] = (world.calls.find(({ name }) => name === 'admit')?.args ??
      []) as unknown as Parameters<typeof world.inner.ledger.admit>
    const fromAnywhere = limits.filter(({ name }) => name === 'tries')
    for (let at = 1; at < 100; at++) await world.inner.ledger.admit(key, fromAnywhere)
    const elsewhere = { 'cf-connecting-ip': '192.0.2.7' }
    expect((await world.signInBy(world.browser(), ADA, GOOD, {}, elsewhere)).status).toBe(429)
    pass(3_600)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD, {}, elsewhere))).toBe(true)
  })

  it('attack: strangers type a text without an address a hundred times, and no person shares that count', async () => {
    const world = withPasswords()
    world.calls.length = 0
    await world.signInBy(world.browser(), 'ada', OTHER)
    const [, limits] = world.calls.find(({ name }) => name === 'admit')?.args ?? []
    expect(limits).toHaveLength(1)
  })

  it('a right password forgives the tries of its address, and its own of the network', async () => {
    const world = withPasswords()
    await world.signedUp()
    const network = { 'cf-connecting-ip': '192.0.2.7' }
    const signIn = (text: string) => world.signInBy(world.browser(), ADA, text, {}, network)
    for (const rights of [1, 12]) {
      for (let at = 0; at < 9; at++) await signIn(OTHER)
      // Thirty in a minute are all that a network has.
      for (let at = 0; at < rights; at++) expect(setsSession(await signIn(GOOD))).toBe(true)
    }
  })

  it('an erasure leaves no count of the address', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    for (let at = 0; at < 10; at++) await world.signInBy(world.browser(), ADA, OTHER)
    expect((await world.signInBy(world.browser(), ADA, OTHER)).status).toBe(429)
    await createAuth(world.config).deletePerson(claimsIn(ada).sub, {})
    expect(errorOf(await world.signInBy(world.browser(), ADA, OTHER))).toBe(WRONG)
  })
})

describe('a hundred wrong passwords in a row', () => {
  it('attack: a patient guesser: from then on the right one signs in only in known browsers', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    await guesses(world, 100, ROW)
    pass(3_600)
    const failure = await world.signInBy(world.browser(), ADA, GOOD)
    expect([errorOf(failure), setsSession(failure)]).toEqual([WRONG, false])
    expect(setsSession(await world.signInBy(ada, ADA, GOOD))).toBe(true)
    pass(3_600)
    // A sign-in by mail, or a year, makes the password count again.
    expect(errorOf(await world.signInBy(world.browser(), ADA, GOOD))).toBe(WRONG)
    await world.byMail(ADA)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
  })

  it('counts over all addresses of a person, and a year ends it', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    await world.add(ada, 'email', 'ada@work.example')
    await guesses(world, 50, ROW)
    await guesses(world, 50, ROW, 'ada@work.example')
    pass(3_600)
    expect(errorOf(await world.signInBy(world.browser(), ADA, GOOD))).toBe(WRONG)
    pass(365 * 24 * 3_600)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
  })

  it('begins anew after a right one', async () => {
    const world = withPasswords()
    await world.signedUp()
    await guesses(world, 99, ROW)
    pass(3_600)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
    await guesses(world, 99, ROW)
    pass(3_600)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
  })
})

describe('the owner', () => {
  it('hears of the tenth wrong password of a day, once', async () => {
    const world = withPasswords()
    await world.signedUp()
    const before = world.notices().length
    await guesses(world, 9, DAY)
    expect(world.notices()).toHaveLength(before)
    await guess(world)
    await expect.poll(() => world.notices().length).toBe(before + 1)
    for (const _ of [1, 2, 3]) await guess(world)
    expect(world.notices()).toHaveLength(before + 1)
    expect(world.notices().at(-1)).toMatch(/^ada@mail\.example: /)
    expect(world.lines).toContainEqual(
      expect.objectContaining({ event: 'wrong-passwords', count: 10 }),
    )
    pass(24 * 3_600)
    await guesses(world, 9, DAY)
    await guess(world)
    await expect.poll(() => world.notices().length).toBe(before + 2)
  })

  it('hears of the tenth from a known browser too, and after a hundred in a row', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    const before = world.notices().length
    const guessHere = async () => {
      pass(900)
      expect(errorOf(await world.signInBy(ada, ADA, OTHER))).toBe(WRONG)
    }
    for (let at = 0; at < 8; at++) await guessHere()
    // A right one there forgives the nine, and leaves the row as it is.
    await guess(world)
    expect(world.notices()).toHaveLength(before)
    expect(setsSession(await world.signInBy(ada, ADA, GOOD))).toBe(true)
    for (let at = 0; at < 9; at++) await guessHere()
    expect(world.notices()).toHaveLength(before)
    await guessHere()
    await expect.poll(() => world.notices().length).toBe(before + 1)
    pass(24 * 3_600)
    await guesses(world, 99, ROW)
    pass(24 * 3_600)
    for (let at = 0; at < 9; at++) await guess(world)
    expect(world.notices()).toHaveLength(before + 1)
    await guess(world)
    await expect.poll(() => world.notices().length).toBe(before + 2)
  })

  it('hears of nothing if the store fails, which the log says', async () => {
    const world = withPasswords()
    await world.signedUp()
    await guesses(world, 9, DAY)
    const { ledger } = world.inner
    world.faults.set('admit', async (...args) => {
      const call = args as Parameters<typeof ledger.admit>
      return call[1][0]?.name === 'mentioned' ? fails() : ledger.admit(...call)
    })
    await guess(world)
    await expect.poll(() => world.errors.map(({ name }) => name)).toContain('StoreUnavailable')
  })

  it('gets no mail after nine wrong ones, a right one, and nine more', async () => {
    const world = withPasswords()
    await world.signedUp()
    const before = world.notices().length
    await guesses(world, 9, DAY)
    await world.signInBy(world.browser(), ADA, GOOD)
    await guesses(world, 9, DAY)
    expect(world.notices()).toHaveLength(before)
  })
})

describe('counts of one person or address', () => {
  const GRACE = 'grace@mail.example'

  it('attack: a stranger who guesses at one address keeps another one out', async () => {
    const world = withPasswords()
    await world.signedUp()
    await world.signedUp(GRACE)
    const one = world.browser()
    for (let at = 0; at < 10; at++) await world.signInBy(one, ADA, OTHER)
    expect((await world.signInBy(one, ADA, GOOD)).status).toBe(429)
    expect(setsSession(await world.signInBy(one, GRACE, GOOD))).toBe(true)
  })

  it('attack: a hundred wrong passwords of one person make those of another one count no more', async () => {
    const world = withPasswords()
    await world.signedUp()
    await world.signedUp(GRACE)
    await guesses(world, 100, ROW)
    pass(3_600)
    expect(setsSession(await world.signInBy(world.browser(), GRACE, GOOD))).toBe(true)
    expect(errorOf(await world.signInBy(world.browser(), ADA, GOOD))).toBe(WRONG)
  })

  it('a right one in a known browser forgives the wrong ones of the day', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    const before = world.notices().length
    await guesses(world, 9, DAY)
    expect(setsSession(await world.signInBy(ada, ADA, GOOD))).toBe(true)
    await guesses(world, 9, DAY)
    expect(world.notices()).toHaveLength(before)
  })

  it('attack: changes after a fresh sign-in, to try passwords: ten in a quarter of an hour', async () => {
    const world = withPasswords()
    await world.signedUp()
    const ada = world.browser()
    await world.byMail(ADA, ada)
    for (let at = 0; at < 10; at++) await world.set(ada, `${GOOD} ${at}`)
    expect((await world.set(ada, OTHER)).status).toBe(429)
    pass(14 * 60)
    await world.byMail(ADA, ada)
    expect((await world.set(ada, OTHER)).status).toBe(429)
    pass(61)
    expect(errorOf(await world.set(ada, OTHER))).toBe('/auth/account')
  })
})

describe('a flood', () => {
  it('attack: seventeen hashes at most are under way, and the next one is 503 before anything is counted', async () => {
    const world = withPasswords()
    await world.signedUp()
    const all = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const one = world.browser()
        const fields = {
          csrfToken: await one.csrfToken(),
          email: `nobody${at}@mail.example`,
          password: OTHER,
        }
        return () => one.post('/auth/callback/password', fields)
      }),
    )
    world.calls.length = 0
    const answers = await Promise.all(all.map((post) => post()))
    const busy = answers.filter(({ status }) => status === 503)
    expect(busy.length).toBe(40 - 17)
    expect(busy.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
    expect(world.calls.filter(({ name }) => name === 'admit')).toHaveLength(17)
    expect(errorOf(await world.signInBy(world.browser(), 'x@mail.example', OTHER))).toBe(WRONG)
  })

  it('attack: a stranger holds every place of the queue: people sign in by mail and at providers meanwhile', async () => {
    const world = withPasswords()
    await world.signedUp()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let holding = 0
    world.faults.set('admit', async (...args) => {
      const call = args as Parameters<typeof world.inner.ledger.admit>
      if (call[0].startsWith('password:')) {
        holding++
        await held
      }
      return world.inner.ledger.admit(...call)
    })
    const all = Array.from({ length: 17 }, (_, at) =>
      world.signInBy(world.browser(), `nobody${at}@mail.example`, OTHER),
    )
    await expect.poll(() => holding).toBe(17)
    expect((await world.signInBy(world.browser(), ADA, GOOD)).status).toBe(503)
    expect(setsSession(await world.byMail())).toBe(true)
    expect(await (await world.signIn('one', 'bob')).session()).not.toBeNull()
    release()
    await Promise.all(all)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
  })
})

describe('a second factor', () => {
  it('is asked for after a right password, and before the page of a new one', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    const { app } = await setUpFactor(ada)
    pass(30)
    const one = world.browser()
    expect(new URL(locationOf(await world.signInBy(one, ADA, GOOD))).pathname).toBe('/auth/factor')
    expect(await one.session()).toBeNull()
    await one.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(one).amr).toEqual(['password', 'pwd', 'otp', 'mfa'])

    pass(30)
    const thief = world.browser()
    expect(new URL(locationOf(await world.byMail(ADA, thief))).pathname).toBe('/auth/factor')
    expect(new URL(locationOf(await world.set(thief, OTHER))).pathname).toBe('/auth/signin')
  })

  it('attack: a sign-in that waits for it, as the password is changed elsewhere', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    const { app } = await setUpFactor(ada)
    pass(30)
    await ada.submit('/auth/callback/password', {
      email: ADA,
      password: GOOD,
      callbackUrl: '/inbox',
    })
    await ada.submit('/auth/factor', { code: app.code() })
    pass(30)
    const thief = world.browser()
    await world.signInBy(thief, ADA, GOOD)
    pass(1)
    await world.set(ada, OTHER, { current: GOOD })
    expect(world.events.at(-1)).toMatchObject({ change: 'changed' })
    pass(30)
    expect(errorOf(await thief.submit('/auth/factor', { code: app.code() }))).toBe(
      '/auth/signin InvalidCheck',
    )
    expect(await thief.session()).toBeNull()
  })

  it('attack: a session of one factor sets a password after the factor was set up', async () => {
    const world = withPasswords()
    const ada = await world.signIn('email', ADA)
    const thief = world.copyOf(ada)
    await setUpFactor(ada)
    const answer = await world.set(thief, GOOD)
    expect(new URL(locationOf(answer)).searchParams.get('acr')).toBe('2')
    expect(world.events).toEqual([])
  })
})

describe('a step-up', () => {
  it('by the password keeps the session, and the page of the sign-in shows its form', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    const page = await (await ada.get('/auth/signin?maxAge=300&callbackUrl=/inbox')).text()
    expect(page).toContain('action="/auth/callback/password"')
    const { sid } = claimsIn(ada)
    await world.signInBy(ada, ADA, GOOD, { maxAge: '300' })
    expect([claimsIn(ada).sid, claimsIn(ada).amr[0]]).toEqual([sid, 'password'])
  })

  it('is refused if it proves another person', async () => {
    const world = withPasswords()
    await world.signedUp('grace@mail.example', OTHER)
    const ada = await world.signedUp()
    pass(600)
    const answer = await world.signInBy(ada, 'grace@mail.example', OTHER, { maxAge: '300' })
    expect(errorOf(answer)).toBe('/auth/error AccessDenied')
  })
})

it('cookies of known browsers are no way around a wrong password', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  const other = new Browser(world.config)
  other.jar.set('auth.device', ada.jar.get('auth.device') ?? '')
  expect(errorOf(await world.signInBy(other, ADA, OTHER))).toBe(WRONG)
})
