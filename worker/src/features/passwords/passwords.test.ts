import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, errorOf, locationOf, origin, setsSession } from '../../test-support/browser.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'

const { pass } = clock({ waits: true })

const WRONG = '/auth/signin CredentialsSignin credentials'

describe('a sign-up', () => {
  it('is a mail that ends at the page of the password, and then signs in by it', async () => {
    const world = withPasswords()
    const ada = world.browser()
    const end = await world.byMail(ADA, ada)
    const page = new URL(locationOf(end))
    expect(page.pathname + page.search).toBe(
      `/auth/account/password?${new URLSearchParams({ callbackUrl: `${origin}/inbox` })}`,
    )
    const text = await (await ada.get(page.pathname + page.search)).text()
    expect(text).toContain('autocomplete="new-password"')
    expect(text).not.toContain('name="current"')
    const answer = await world.set(ada, GOOD, { callbackUrl: `${origin}/inbox` })
    expect([answer.status, locationOf(answer)]).toEqual([302, `${origin}/inbox`])
    expect(world.events).toEqual([{ sub: claimsIn(ada).sub, change: 'set', by: 'person' }])
    expect(world.notices()).toEqual([expect.stringMatching(/^ada@mail\.example: /)])

    const other = world.browser()
    const signedIn = await world.signInBy(other, ' Ada@Mail.example ', GOOD)
    expect(locationOf(signedIn)).toBe(`${origin}/inbox`)
    const { sub, amr } = claimsIn(other)
    expect([sub, amr]).toEqual([claimsIn(ada).sub, ['password', 'pwd']])
    expect((await other.session())?.user).toEqual((await ada.session())?.user)
  })

  it('attack: a stranger signs up with another person’s address, and has no password there', async () => {
    const world = withPasswords()
    const mallory = world.browser()
    await mallory.submit('/auth/signin/password', {
      email: ADA,
      password: 'the password of mallory',
    })
    const set = await world.set(mallory, 'the password of mallory')
    expect(new URL(locationOf(set)).pathname).toBe('/auth/signin')
    await world.signIn('email', ADA)
    const end = await world.signInBy(world.browser(), ADA, 'the password of mallory')
    expect([errorOf(end), setsSession(end)]).toEqual([WRONG, false])
  })
})

describe('a sign-in', () => {
  it('attack: accounts are asked for by the answer: each failure is the same', async () => {
    const world = withPasswords()
    await world.signedUp()
    await world.signIn('email', 'grace@mail.example')
    const failures = {
      'a wrong password': { email: ADA, password: OTHER },
      'an unknown address': { email: 'nobody@mail.example', password: OTHER },
      'a person without one': { email: 'grace@mail.example', password: OTHER },
      'not an address': { email: 'ada', password: OTHER },
      'no address': { password: OTHER },
      'no password': { email: ADA },
      'an empty password': { email: ADA, password: '' },
      'a long password': { email: ADA, password: `${GOOD}${'x'.repeat(256)}` },
    }
    const answers: unknown[] = []
    for (const fields of Object.values(failures)) {
      const before = Date.now()
      const one = world.browser()
      const answer = await one.submit('/auth/callback/password', fields, {
        'x-auth-return-redirect': '1',
      })
      const names = [...answer.headers.keys()].sort()
      answers.push([answer.status, names, await answer.json(), Date.now() - before])
      pass(60)
    }
    expect(answers.map((one) => JSON.stringify(one))).toEqual(
      answers.map(() => JSON.stringify(answers[0])),
    )
    expect(answers[0]).toMatchObject([
      401,
      expect.anything(),
      { error: 'CredentialsSignin', code: 'credentials' },
      1000,
    ])
  })

  it('GET is 405 with the method that works', async () => {
    const answer = await withPasswords().browser().get('/auth/callback/password')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('a change', () => {
  it('by the current password ends all other sessions', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(2)
    const phone = world.browser()
    await world.signInBy(phone, ADA, GOOD)
    pass(600)
    expect(errorOf(await world.set(ada, OTHER))).toBe(
      '/auth/account/password CredentialsSignin wrong_password',
    )
    expect(errorOf(await world.set(ada, OTHER, { current: 'not the current one' }))).toBe(
      '/auth/account/password CredentialsSignin wrong_password',
    )
    expect(await phone.session()).not.toBeNull()
    const changed = await world.set(ada, OTHER, { current: GOOD })
    expect(locationOf(changed)).toBe(`${origin}/auth/account`)
    expect(await phone.session()).toBeNull()
    expect(await ada.session()).not.toBeNull()
    pass(2)
    expect(errorOf(await world.signInBy(world.browser(), ADA, GOOD))).toBe(WRONG)
    expect(setsSession(await world.signInBy(world.browser(), ADA, OTHER))).toBe(true)
    expect(world.events.at(-1)).toMatchObject({ change: 'changed' })
  })

  it('to the same password changes nothing', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    expect(locationOf(await world.set(ada, GOOD))).toBe(`${origin}/auth/account`)
    expect([world.events.length, world.notices().length]).toEqual([1, 1])
  })

  it('is a removal with a fresh sign-in by mail', async () => {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(600)
    expect(errorOf(await ada.submit('/auth/password/remove'))).toBe(
      '/auth/account/password CredentialsSignin wrong_password',
    )
    await world.byMail(ADA, ada)
    expect(locationOf(await ada.submit('/auth/password/remove'))).toBe(`${origin}/auth/account`)
    expect(world.events.at(-1)).toMatchObject({ change: 'removed', by: 'person' })
    expect(errorOf(await world.signInBy(world.browser(), ADA, GOOD))).toBe(WRONG)
  })
})
