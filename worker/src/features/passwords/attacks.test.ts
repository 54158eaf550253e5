import { expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { customFetch } from '../../lib/symbols.js'
import { Browser, claimsIn, errorOf, locationOf, setsSession } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'

const { advance, pass, takeTimers } = clock({ waits: true })

const WRONG = '/auth/signin CredentialsSignin credentials'

type World = ReturnType<typeof withPasswords>

/** Runs something before the first change of a person's document, and something after it. */
function aroundChange(
  { faults, inner }: World,
  before: () => Promise<unknown>,
  after: () => Promise<unknown> = async () => {},
): void {
  faults.set('changeDocument', async (...args) => {
    const call = args as Parameters<typeof inner.ledger.changeDocument>
    if (!call[0].startsWith('person\n')) return inner.ledger.changeDocument(...call)
    faults.delete('changeDocument')
    await before()
    const isChanged = await inner.ledger.changeDocument(...call)
    await after()
    return isChanged
  })
}

async function removeAddress(world: World, one: Browser): Promise<void> {
  const id = (await world.ways(one)).find(({ provider }) => provider === 'email')?.id ?? ''
  await world.remove(one, id)
}

it('attack: a password is set while the last address is removed in another tab: it goes with it', async () => {
  const world = withPasswords()
  const ada = await world.signIn('one', 'ada')
  await world.add(ada, 'email', ADA)
  const tab = world.copyOf(ada)
  const csrfToken = await ada.csrfToken()
  aroundChange(world, () => removeAddress(world, tab))
  const answer = await ada.post('/auth/password/set', { csrfToken, password: GOOD })
  expect(errorOf(answer)).toBe('/auth/error AccessDenied no_address')
  const { content } = (await world.inner.ledger.document(`person\n${claimsIn(ada).sub}`)) ?? {}
  expect(JSON.parse(content ?? '')).not.toHaveProperty('password')
  expect(world.events).toEqual([])
})

it('attack: a stolen session sets a password as its owner signs out everywhere, and the thief signs in with it at once', async () => {
  for (const isChange of [true, false]) {
    const world = withPasswords()
    const ada = isChange ? await world.signedUp() : await world.signIn('email', ADA)
    pass(600)
    await world.byMail(ADA, ada)
    const thief = world.copyOf(ada)
    const csrfToken = await thief.csrfToken()
    const other = world.browser()
    let isSignedIn = false
    aroundChange(
      world,
      async () => {
        await ada.submit('/auth/sessions/revoke', { session: 'all' })
        pass(2)
      },
      // It is not yet known here that the session is over.
      async () => {
        isSignedIn = setsSession(await world.signInBy(other, ADA, OTHER))
      },
    )
    const set = await thief.post('/auth/password/set', { csrfToken, password: OTHER })
    world.faults.clear()
    expect([isSignedIn, errorOf(set)]).toEqual([true, '/auth/signin InvalidCheck'])
    expect(world.errors.at(-1)?.message).toContain('session has ended meanwhile')
    pass(2)
    expect(await other.session()).toBeNull()
    expect(errorOf(await world.signInBy(world.browser(), ADA, OTHER))).toBe(WRONG)
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(isChange)
  }
})

it('attack: the same, and the store fails as the password is taken back: the owner hears of it', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  pass(600)
  await world.byMail(ADA, ada)
  const thief = world.copyOf(ada)
  const csrfToken = await thief.csrfToken()
  const before = world.notices().length
  aroundChange(
    world,
    async () => {
      await ada.submit('/auth/sessions/revoke', { session: 'all' })
      pass(2)
    },
    async () => void world.faults.set('changeDocument', fails),
  )
  expect((await thief.post('/auth/password/set', { csrfToken, password: OTHER })).status).toBe(503)
  world.faults.clear()
  expect(world.notices().slice(before)).toEqual([expect.stringMatching(/was changed$/)])
})

it('attack: a stolen session changes the password as its owner does: the end of the session counts', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  const thief = world.browser()
  await world.byMail(ADA, thief)
  const csrfToken = await thief.csrfToken()
  pass(2)
  aroundChange(world, async () => {
    expect(errorOf(await world.set(ada, OTHER))).toBe('/auth/account')
    pass(2)
  })
  const set = await thief.post('/auth/password/set', { csrfToken, password: `${OTHER} too` })
  expect(errorOf(set)).toBe('/auth/signin InvalidCheck')
  expect(world.errors.at(-1)?.message).toContain('session has ended meanwhile')
  expect(setsSession(await world.signInBy(world.browser(), ADA, OTHER))).toBe(true)
})

it('attack: a removal with the old password, while it is changed elsewhere: the new one stays', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  const thief = world.browser()
  await world.signInBy(thief, ADA, GOOD)
  pass(2)
  const csrfToken = await thief.csrfToken()
  aroundChange(world, async () => {
    await world.set(ada, OTHER, { current: GOOD })
  })
  await thief.post('/auth/password/remove', { csrfToken, current: GOOD })
  expect(world.events.map((event) => 'change' in event && event.change)).toEqual(['set', 'changed'])
  expect(setsSession(await world.signInBy(world.browser(), ADA, OTHER))).toBe(true)
})

it('attack: a stolen session of more than five minutes sets a first password', async () => {
  const world = withPasswords()
  const ada = await world.signIn('email', ADA)
  pass(301)
  const page = await world.set(ada, GOOD)
  expect(new URL(locationOf(page)).searchParams.get('maxAge')).toBe('300')
  const told = await world.set(ada, GOOD, {}, { 'x-auth-return-redirect': '1' })
  expect([told.status, await told.json()]).toEqual([
    401,
    expect.objectContaining({ error: 'FreshSignInRequired', maxAge: 300 }),
  ])
  expect(world.events).toEqual([])
})

it('the same password after a fresh sign-in by mail is no change', async () => {
  const world = withPasswords()
  await world.signedUp()
  const ada = world.browser()
  await world.byMail(ADA, ada)
  expect(errorOf(await world.set(ada, GOOD))).toBe('/auth/account')
  expect([world.events.length, world.notices().length]).toEqual([1, 1])
})

it('attack: a stranger who guesses keeps an owner with a fresh sign-in from a new password', async () => {
  const world = withPasswords()
  const ada = await world.signIn('one', 'ada')
  await world.add(ada, 'email', ADA)
  await world.set(ada, GOOD)
  for (let at = 0; at < 10; at++) await world.signInBy(world.browser(), ADA, OTHER)
  const elsewhere = await world.signIn('one', 'ada', world.browser())
  expect(errorOf(await world.set(elsewhere, OTHER))).toBe('/auth/account')
  expect(world.events.at(-1)).toMatchObject({ change: 'changed' })
  // Changes have a count of their own.
  for (let at = 0; at < 9; at++) await world.set(elsewhere, `${GOOD} ${at}`)
  expect((await world.set(elsewhere, GOOD)).status).toBe(429)
})

it('attack: one person keeps everybody’s passwords waiting while Have I Been Pwned is slow', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  let asked = 0
  const world = withPasswords({
    breached: true,
    [customFetch]: (async () => {
      asked++
      await held
      return new Response('')
    }) as typeof fetch,
  })
  const one = await world.signIn('email', ADA)
  const csrfToken = await one.csrfToken()
  const sets = Array.from({ length: 17 }, (_, at) =>
    one.post('/auth/password/set', { csrfToken, password: `${GOOD} ${at}` }),
  )
  await expect.poll(() => asked).toBe(17)
  const signIn = await world.signInBy(world.browser(), 'grace@mail.example', OTHER)
  expect(errorOf(signIn)).toBe(WRONG)
  answer()
  await Promise.all(sets)
})

it('attack: accounts are asked for by time, at a Worker whose clock stands still while a hash is computed', async () => {
  const world = withPasswords()
  await world.signedUp()
  for (const email of [ADA, 'nobody@mail.example', 'ada']) {
    takeTimers()
    const one = world.browser()
    const csrfToken = await one.csrfToken()
    // All calls before the hash: 300 ms that the clock does not show.
    const { admit } = world.inner.ledger
    let isFirst = true
    world.faults.set('admit', async (...args) => {
      const now = Date.now()
      if (isFirst) await advance(300)
      vi.setSystemTime(now)
      isFirst = false
      return admit(...(args as Parameters<typeof admit>))
    })
    let isAnswered = false
    const answering = one
      .post('/auth/callback/password', { csrfToken, email, password: OTHER })
      .finally(() => {
        isAnswered = true
      })
    const until = async (isOver: () => boolean) => {
      // A poll of the tests moves the timers.
      const end = performance.now() + 20_000
      while (!isOver() && performance.now() < end) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(isOver()).toBe(true)
    }
    await until(() => !isFirst)
    await advance(699)
    expect([email, isAnswered]).toEqual([email, false])
    await advance(1)
    await until(() => isAnswered)
    expect(errorOf(await answering)).toBe(WRONG)
    world.faults.clear()
    pass(3_600)
  }
})

it('attack: a known browser of the address’s former owner guesses without a count of its present one', async () => {
  const world = withPasswords()
  const mallory = await world.signIn('one', 'mallory')
  await world.add(mallory, 'email', ADA)
  await world.byMail(ADA, mallory)
  await removeAddress(world, mallory)
  pass(10)
  const ada = await world.signedUp()
  pass(60)
  expect(claimsIn(ada).sub).not.toBe(claimsIn(mallory).sub)
  for (const [one, isCounted] of [
    [mallory, true],
    [ada, false],
  ] as const) {
    world.calls.length = 0
    await world.signInBy(one, ADA, OTHER)
    expect(world.calls.some(({ args }) => JSON.stringify(args).includes('in a row'))).toBe(
      isCounted,
    )
  }
})

it('attack: objects and numbers as the address in JSON: they fail as every other one', async () => {
  const world = withPasswords()
  for (const email of [{ toString: null }, { toString: 1, valueOf: 1 }, [ADA], 7, null]) {
    const one = world.browser()
    const csrfToken = await one.csrfToken()
    const answer = await one.send('/auth/callback/password', {
      method: 'POST',
      body: JSON.stringify({ csrfToken, email, password: GOOD }),
      headers: { 'content-type': 'application/json' },
    })
    expect(errorOf(answer)).toBe(WRONG)
  }
})

it('attack: a thousand addresses are tried from one network: thirty hashes in a minute, and other networks go on', async () => {
  const world = withPasswords()
  await world.signedUp()
  const from = (network: string) => ({ 'cf-connecting-ip': network })
  const auth = createAuth(world.config)
  const one = new Browser(world.config, { answer: (request) => auth.fetch(request) })
  const csrfToken = await one.csrfToken()
  const headers = { ...from('192.0.2.1'), 'x-auth-return-redirect': '1' }
  world.calls.length = 0
  const statuses = new Map<number, number>()
  for (let at = 0; at < 1_000; at++) {
    const fields = { csrfToken, email: `person${at}@mail.example`, password: OTHER }
    const { status } = await one.post('/auth/callback/password', fields, headers)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    // The floor of each failure moves the clock on: back to the same minute.
    vi.setSystemTime(Date.UTC(2026, 10, 1))
  }
  expect([...statuses]).toEqual([
    [401, 30],
    [429, 970],
  ])
  expect(world.calls.filter(({ name }) => name === 'admit').length).toBeLessThanOrEqual(30)
  const other = await world.signInBy(world.browser(), ADA, GOOD, {}, from('192.0.2.2'))
  expect(setsSession(other)).toBe(true)
})

it('attack: bodies of megabytes, and texts that no password can be, at each form of passwords', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  pass(600)
  const csrfToken = await ada.csrfToken()
  for (const path of ['/auth/callback/password', '/auth/password/set', '/auth/password/remove']) {
    const huge = 'x'.repeat(3 * 2 ** 20)
    const answer = await ada.post(path, { csrfToken, email: ADA, password: huge, current: huge })
    expect([path, answer.status]).toEqual([path, 413])
  }
  const texts = [
    '🦔'.repeat(257),
    `half \ud83d of a character`,
    '\0'.repeat(257),
    '\u0301'.repeat(30_000),
  ]
  for (const text of texts) {
    pass(3_600)
    const one = world.browser()
    const token = await one.csrfToken()
    const body = JSON.stringify({ csrfToken: token, email: ADA, password: text })
    const headers = { 'content-type': 'application/json' }
    const answer = await one.send('/auth/callback/password', { method: 'POST', body, headers })
    expect(errorOf(answer)).toBe(WRONG)
    const set = await ada.send('/auth/password/set', {
      method: 'POST',
      body: JSON.stringify({ csrfToken, password: text, current: GOOD }),
      headers: { ...headers, 'x-auth-return-redirect': '1' },
    })
    expect(await set.json()).toMatchObject({
      code: expect.stringMatching(/^password_(long|invalid|common)$/),
    })
  }
})

it('256 characters of four bytes, and NUL, are a password like any other, to the last character', async () => {
  const world = withPasswords()
  const whole = `${'🦔🌻'.repeat(127)}\0x`
  const ada = await world.signedUp(ADA, whole)
  expect([...whole]).toHaveLength(256)
  expect(world.events).toHaveLength(1)
  pass(60)
  expect(setsSession(await world.signInBy(ada, ADA, whole))).toBe(true)
  for (const other of [whole.slice(0, -1), `${whole.slice(0, -1)}y`, whole.replace('\0', ' ')]) {
    pass(60)
    expect(setsSession(await world.signInBy(world.browser(), ADA, other))).toBe(false)
  }
})

it('attack: another site posts the forms of passwords, without the token of this browser', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  await world.byMail(ADA, ada)
  const stranger = await world.browser().csrfToken()
  for (const path of ['/auth/callback/password', '/auth/password/set', '/auth/password/remove']) {
    for (const csrfToken of ['', stranger]) {
      const fields = { csrfToken, email: ADA, password: OTHER, current: GOOD }
      const answer = await ada.post(path, fields, { origin: 'https://evil.example' })
      expect([path, answer.status === 200 || setsSession(answer)]).toEqual([path, false])
    }
  }
  expect(world.events).toHaveLength(1)
  pass(60)
  expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
})

it.each(['a block', 'an erasure'] as const)(
  'attack: a password is set or changed while %s comes: it is not written',
  async (what) => {
    for (const isChange of [false, true]) {
      const world = withPasswords()
      const auth = createAuth(world.config)
      // With two ways there is a document of the person.
      const ada = await world.signIn('one', 'ada')
      await world.add(ada, 'email', ADA)
      if (isChange) await world.set(ada, GOOD)
      await world.byMail(ADA, ada)
      const { sub } = claimsIn(ada)
      const csrfToken = await ada.csrfToken()
      aroundChange(world, async () => {
        if (what === 'a block') await auth.blockPerson({ sub }, {})
        else await auth.deletePerson(sub, {})
      })
      const answer = await ada.post('/auth/password/set', { csrfToken, password: OTHER })
      expect(errorOf(answer)).not.toBe('/auth/account')
      world.faults.clear()
      if (what === 'a block') await auth.unblockPerson(sub, {})
      const { content } = (await world.inner.ledger.document(`person\n${sub}`)) ?? {}
      if (what === 'an erasure') expect(JSON.parse(content ?? '{}')).not.toHaveProperty('password')
      pass(60)
      expect(setsSession(await world.signInBy(world.browser(), ADA, OTHER))).toBe(false)
      pass(60)
      const isKept = isChange && what === 'a block'
      expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(isKept)
    }
  },
)
