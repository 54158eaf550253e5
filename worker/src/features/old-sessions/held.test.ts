import { describe, expect, it } from 'vitest'
import type { AuthenticatorApp } from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { authjsCookies } from '../../../../test/support/old-cookies.js'
import { createAuth as coreAuth } from '../../core.js'
import type { Person } from '../../person/person.js'
import { memoryStore } from '../../stores/memory.js'
import { Browser, claimsIn } from '../../test-support/browser.js'
import { withOldSessions } from '../../test-support/old-sessions.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig } from '../../types.js'
import { subjects } from '../subjects/index.js'
import { oldSessions } from './index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** The app gives the account the id that its person had in the old app. */
const subject = () => '7'

/** A person with a second factor here, and an old session of theirs. */
async function withFactor(changes: Partial<AuthConfig> = {}) {
  const world = withOldSessions({ subject, ...changes })
  const here = world.browser()
  await here.signIn('one', 'ada')
  const { app } = await setUpFactor(here)
  pass(60)
  return { ...world, app: app as AuthenticatorApp, cookies: await authjsCookies() }
}

async function withDocument(person: Partial<Person>, changes: Partial<AuthConfig> = {}) {
  const inner = memoryStore()
  const content = JSON.stringify({ ways: [], ...person })
  await inner.ledger.changeDocument('person\n7', 0, content)
  return withOldSessions(changes, { inner })
}

describe('attack: a copied cookie of the old library', () => {
  it('does not sign in a person with a second factor here, and the log says why', async () => {
    const { browser, cookies, lines } = await withFactor()
    const thief = browser(cookies)
    for (const path of ['/auth/session', '/auth/renew?callbackUrl=/inbox']) {
      const answer = await thief.get(path)
      expect(answer.headers.get('location') ?? '').not.toContain('/inbox')
      pass(60)
    }
    expect(thief.jar).toEqual(cookies)
    expect(lines.at(-1)).toMatchObject({
      event: 'sign-in-refused',
      provider: 'authjs',
      error: 'AccessDenied',
    })
  })

  it('is used up if its owner signs in with a code', async () => {
    const { app, browser, cookies, session } = await withFactor()
    const one = browser(cookies)
    expect(await one.session()).toBeNull()
    await one.signIn('one', 'ada')
    await one.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(one)).toMatchObject({ sub: '7', amr: ['one', 'otp', 'mfa'] })
    expect([...one.jar.keys()].join()).not.toContain('authjs')
    pass(60)
    expect(await session(cookies)).toBeNull()
  })

  it.each([
    [true, false],
    [false, true],
  ])('signs no user in if the app demands a second factor: %s', async (isDemanded, isIn) => {
    const asked: unknown[] = []
    const { session } = withOldSessions({
      secondFactor: (person) => asked.push(person) > 0 && isDemanded,
    })
    expect((await session(await authjsCookies())) !== null).toBe(isIn)
    expect(asked).toMatchObject([{ sub: '7', amr: ['authjs'] }])
  })

  it('does not sign in a person with a second factor without the feature, which the log names', async () => {
    const { config, cookies, errors } = await withFactor()
    const core = coreAuth({ ...config, features: [oldSessions, subjects] })
    const thief = new Browser(config, { answer: (request) => core.fetch(request) })
    for (const [name, value] of cookies) thief.jar.set(name, value)
    expect(await thief.session()).toBeNull()
    expect(errors.at(-1)?.message).toContain('@latchkey/worker/features/second-factor')
  })

  it('signs no user in if no feature reads a member of the person’s document', async () => {
    const { errors, session } = await withDocument({ locked: true } as Partial<Person>)
    expect(await session(await authjsCookies())).toBeNull()
    expect(errors.at(-1)?.message).toBe(
      'A person has "locked", which no feature of this service reads: a feature of your own wrote it, or a later version of the service.',
    )
  })

  it('signs no user in if its person is being erased, or is another person now', async () => {
    const way = { way: 'w', provider: 'one', added: 1, used: null }
    for (const person of [{ erasing: true as const }, { mergedInto: '8', ways: [way] }]) {
      const { session } = await withDocument(person)
      expect(await session(await authjsCookies())).toBeNull()
    }
    const { session } = await withDocument({ ways: [way] })
    expect(await session(await authjsCookies())).not.toBeNull()
  })

  it('is good for another try after a 503, if the ledger cannot show the person now', async () => {
    const { faults, get, session } = withOldSessions()
    const cookies = await authjsCookies()
    faults.set('document', async () => {
      throw new Error('Down.')
    })
    expect((await get(cookies)).status).toBe(503)
    faults.clear()
    pass(60)
    expect(await session(cookies)).not.toBeNull()
  })
})
