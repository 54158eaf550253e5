import { describe, expect, it } from 'vitest'
import {
  AuthenticatorApp,
  fieldOn,
  keyOn,
  recoveryCodesOn,
} from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

/** Someone with a verified address and a second factor. */
async function withFactor() {
  const world = people()
  const owner = await world.signIn('email', 'ada@example.com')
  const made = await setUpFactor(owner)
  world.mails.length = 0
  /** A browser in which the first factor was given. */
  const waiting = async () => {
    const one = world.browser()
    await world.signIn('email', 'ada@example.com', one)
    world.mails.length = 0
    return one
  }
  return { ...world, ...made, owner, waiting }
}

describe('new recovery codes', () => {
  const codesIn = async (answer: Response) =>
    answer.status === 200 ? recoveryCodesOn(await answer.text()) : []

  it('codes that are shown work, if the form is sent twice at once', async () => {
    const { owner, waiting } = await withFactor()
    const page = await (await owner.get('/auth/account/security')).text()
    const fields = { csrfToken: await owner.csrfToken(), factor: fieldOn(page, 'factor') }
    for (const form of [fields, { csrfToken: fields.csrfToken }]) {
      const answers = await Promise.all(
        [0, 1, 2].map(() => owner.post('/auth/factor/recovery', form)),
      )
      const shown = (await Promise.all(answers.map(codesIn))).filter(({ length }) => length > 0)
      expect(shown).toHaveLength(1)
      const other = await waiting()
      await other.submit('/auth/factor', { code: shown[0]?.[4] ?? '' })
      expect(await other.session()).not.toBeNull()
    }
  })

  it('the form of a page works once: the first click may arrive after the second', async () => {
    const { owner, waiting } = await withFactor()
    const page = await (await owner.get('/auth/account/security')).text()
    const form = { csrfToken: await owner.csrfToken(), factor: fieldOn(page, 'factor') }
    expect(form.factor).not.toBe('')
    const shown = await codesIn(await owner.post('/auth/factor/recovery', form))
    const late = await owner.post('/auth/factor/recovery', form)
    expect(locationOf(late)).toBe(`${origin}/auth/account`)
    const other = await waiting()
    await other.submit('/auth/factor', { code: shown[0] ?? '' })
    expect(await other.session()).not.toBeNull()
    const next = fieldOn(await (await owner.get('/auth/account/security')).text(), 'factor')
    expect(
      await codesIn(await owner.submit('/auth/factor/recovery', { factor: next })),
    ).toHaveLength(10)
  })

  it('are made by a page that was opened before a code was used elsewhere, of the app or for recovery', async () => {
    const { owner, app, codes, waiting } = await withFactor()
    for (const code of [() => app.code(), () => codes[0] ?? '']) {
      const factor = fieldOn(await (await owner.get('/auth/account/security')).text(), 'factor')
      pass(30)
      const other = await waiting()
      await other.submit('/auth/factor', { code: code() })
      expect(await other.session()).not.toBeNull()
      const made = await codesIn(await owner.submit('/auth/factor/recovery', { factor }))
      expect(made).toHaveLength(10)
      codes.splice(0, 10, ...made)
    }
  })

  it('are not made by a page of another factor of the person', async () => {
    const { owner } = await withFactor()
    const factor = fieldOn(await (await owner.get('/auth/account/security')).text(), 'factor')
    await owner.submit('/auth/factor/remove')
    pass(30)
    await setUpFactor(owner)
    expect(await codesIn(await owner.submit('/auth/factor/recovery', { factor }))).toEqual([])
  })
})

describe('a recovery code that is used', () => {
  it('is mailed to the verified addresses, without the code; a code of the app is not', async () => {
    const { mails, codes, app, waiting } = await withFactor()
    const other = await waiting()
    await other.submit('/auth/factor', { code: codes[0] ?? '' })
    expect(await other.session()).not.toBeNull()
    expect(mails.map(({ identifier }) => identifier)).toEqual(['ada@example.com'])
    expect(mails[0]?.mail.subject).toContain('A recovery code was used')
    expect(mails[0]?.mail.text).toContain('That recovery code no longer works.')
    expect(mails[0]?.mail.text).not.toContain(codes[0])
    mails.length = 0
    pass(30)
    await (await waiting()).submit('/auth/factor', { code: app.code() })
    expect(mails).toEqual([])
  })
})

describe('a sign-in that waits for a code', () => {
  it('attack: it sets up another factor, once the one that it waits for is removed', async () => {
    const { owner, config, waiting } = await withFactor()
    const thief = await waiting()
    await createAuth(config).resetFactors(claimsIn(owner).sub, {})
    const page = await thief.get('/auth/factor/setup')
    expect(locationOf(page)).toBe(`${origin}/auth/factor`)
    // The key of an earlier page is theirs, too.
    const key = keyOn(await (await owner.get('/auth/factor/setup')).text())
    const code = new AuthenticatorApp(key).code()
    await thief.submit('/auth/factor/setup', { code })
    expect(errorOf(await thief.submit('/auth/factor', { code }))).toBe('/auth/signin InvalidCheck')
    expect(await thief.session()).toBeNull()
    expect((await owner.get('/auth/factor/setup')).status).toBe(200)
  })
})
