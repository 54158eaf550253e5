import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, locationOf, origin, setsSession } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** People, and the triggers that the app gets for their sign-ins. */
function watched(changes: Partial<AuthConfig> = {}) {
  const triggers: unknown[] = []
  const told: unknown[] = []
  const set = people({
    callbacks: {
      jwt: ({ token, trigger }) => {
        if (trigger) triggers.push(trigger)
        return token
      },
    },
    events: { signIn: ({ isNewUser }) => void told.push(isNewUser) },
    ...changes,
  })
  return { ...set, triggers, told, auth: createAuth(set.config) }
}

const countOf = (calls: readonly { readonly name: string }[], name: string) =>
  calls.filter((call) => call.name === name).length

describe('a new person', () => {
  it('is new at the first sign-in, for the event and for the jwt callback', async () => {
    const { signIn, triggers, told } = watched()
    const ada = await signIn('one', 'ada')
    await ada.session()
    await signIn('one', 'ada')
    await signIn('one', 'grace')
    await signIn('email', 'ada@mail.example')
    await signIn('email', 'ada@mail.example')
    expect(triggers).toEqual(['signUp', 'signIn', 'signUp', 'signUp', 'signIn'])
    expect(told).toEqual([true, false, true, true, false])
  })

  it('goes to the page for new people, which leads on', async () => {
    const { signIn, browser } = people({ pages: { newUser: '/welcome?step=1' } })
    const first = await browser().signIn('one', 'ada')
    const page = new URL(locationOf(first))
    expect([page.origin, page.pathname]).toEqual([origin, '/welcome'])
    expect(Object.fromEntries(page.searchParams)).toEqual({
      step: '1',
      callbackUrl: `${origin}/inbox`,
    })
    expect(locationOf(await browser().signIn('one', 'ada'))).toBe(`${origin}/inbox`)
    expect(await (await signIn('one', 'ada')).session()).not.toBeNull()
  })

  it('is asked of a ledger only if the configuration asks, with one row for a person', async () => {
    const plain = people()
    await plain.signIn('one', 'ada')
    for (const changes of [
      { callbacks: { jwt: ({ token }) => token } },
      { events: { signIn: () => {} } },
      { pages: { newUser: '/welcome' } },
    ] satisfies Partial<AuthConfig>[]) {
      const set = people(changes)
      await set.signIn('one', 'ada')
      expect([countOf(set.calls, 'document'), countOf(set.calls, 'changeDocument')]).toEqual([1, 1])
      set.calls.length = 0
      await set.signIn('one', 'ada')
      expect([countOf(set.calls, 'document'), countOf(set.calls, 'changeDocument')]).toEqual([1, 0])
      expect(countOf(set.calls, 'list')).toBe(0)
    }
    expect(countOf(plain.calls, 'document')).toBe(0)
  })

  it('is not new with a session from before the option', async () => {
    const { config, triggers, signIn } = watched()
    const { callbacks: _, events: __, ...before } = config
    await new Browser(before).signIn('one', 'ada')
    await signIn('one', 'ada')
    expect(triggers).toEqual(['signIn'])
  })

  it('does not happen for a person with several ways, by any of them', async () => {
    const { config, triggers, signIn, add } = watched()
    const { callbacks: _, events: __, ...before } = config
    const ada = new Browser(before)
    await ada.signIn('one', 'ada')
    await add(ada, 'two', 'ada-at-two')
    await ada.submit('/auth/sessions/revoke', { session: 'all' })
    await signIn('two', 'ada-at-two')
    await signIn('one', 'ada')
    expect(triggers).toEqual(['signIn', 'signIn'])
  })

  it('does not happen again after all their sessions are over', async () => {
    const { triggers, signIn } = watched()
    const ada = await signIn('one', 'ada')
    await ada.submit('/auth/signout')
    pass(120 * 24 * 60 * 60)
    await signIn('one', 'ada')
    expect(triggers).toEqual(['signUp', 'signIn'])
  })

  it('is new after a deletion', async () => {
    const { triggers, signIn, subOf, auth, inner } = watched()
    const sub = subOf(await signIn('one', 'ada'))
    await auth.deletePerson(sub, {})
    expect(await inner.ledger.document(`subject\n${sub}`)).toBeUndefined()
    pass(2)
    await signIn('one', 'ada')
    expect(triggers).toEqual(['signUp', 'signUp'])
  })

  it.each([undefined, () => 'user-1'])(
    'is exactly one of a hundred first sign-ins at once (subject: %o)',
    async (subject) => {
      const { triggers, told, browser } = watched(subject ? { subject } : {})
      const ends = await Promise.all(
        Array.from({ length: 100 }, () => browser().signIn('one', 'ada')),
      )
      expect(ends.filter(setsSession)).toHaveLength(100)
      expect(triggers.filter((trigger) => trigger === 'signUp')).toHaveLength(1)
      expect(told.filter(Boolean)).toHaveLength(1)
    },
  )

  it('is new with a new id of the app', async () => {
    const { triggers, signIn } = watched({ subject: ({ user }) => `my-${user.id}` })
    await signIn('one', 'ada')
    await signIn('one', 'ada')
    await signIn('two', 'grace')
    expect(triggers).toEqual(['signUp', 'signIn', 'signUp'])
  })

  it('is new at a sign-up with a passkey', async () => {
    const triggers: unknown[] = []
    const set = passkeyPeople({
      callbacks: {
        jwt: ({ token, trigger }) => {
          if (trigger) triggers.push(trigger)
          return token
        },
      },
    })
    const authenticator = set.authenticator()
    await set.signUp(authenticator)
    await set.signInBy(authenticator)
    expect(triggers).toEqual(['signUp', 'signIn'])
  })
})

describe('a first sign-in that fails', () => {
  it.each([undefined, () => 'user-1'])(
    'is the first again: the app’s callback threw (subject: %o)',
    async (subject) => {
      let isDown = true
      const triggers: unknown[] = []
      const set = people({
        ...(subject ? { subject } : {}),
        callbacks: {
          jwt: ({ token, trigger }) => {
            triggers.push(trigger)
            if (isDown) throw new Error('The database is down.')
            return token
          },
        },
      })
      for (const _ of [1, 2]) {
        expect(setsSession(await set.browser().signIn('one', 'ada'))).toBe(false)
      }
      isDown = false
      await set.signIn('one', 'ada')
      await set.signIn('one', 'ada')
      expect(triggers).toEqual(['signUp', 'signUp', 'signUp', 'signIn'])
    },
  )

  it('is the first again: its record could not be written', async () => {
    const { triggers, faults, browser, signIn } = watched()
    faults.set('put', fails)
    // KV is asked once more a second later.
    expect(setsSession(await browser().signIn('one', 'ada'))).toBe(false)
    faults.delete('put')
    await signIn('one', 'ada')
    expect(triggers).toEqual(['signUp', 'signUp'])
  })

  it.each(['document', 'changeDocument', 'list'] as const)(
    'signs no user in while %s fails, and is the first afterwards',
    async (method) => {
      const { triggers, faults, browser, signIn } = watched()
      faults.set(method, fails)
      const end = await browser().signIn('one', 'ada')
      expect([end.status, setsSession(end)]).toEqual([503, false])
      faults.delete(method)
      await signIn('one', 'ada')
      expect(triggers).toEqual(['signUp'])
    },
  )

  it('that waited for a second factor in vain is no sign-in', async () => {
    const { triggers, browser } = watched({ secondFactor: () => true })
    for (const _ of [1, 2]) await browser().signIn('one', 'ada')
    expect(triggers).toEqual([])
    const ada = browser()
    await ada.signIn('one', 'ada')
    await setUpFactor(ada)
    expect(triggers).toEqual(['signUp'])
  })

  it('that waited in vain for the second factor of an app’s own id does not count either', async () => {
    const { triggers, browser } = watched({ secondFactor: () => true, subject: () => 'user-1' })
    await browser().signIn('one', 'ada')
    const ada = browser()
    await ada.signIn('one', 'ada')
    await setUpFactor(ada)
    expect(triggers).toEqual(['signUp'])
  })
})
