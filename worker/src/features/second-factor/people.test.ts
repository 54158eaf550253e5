import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, claimsIn, errorOf, secret } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { people } from '../../test-support/people.js'
import { readableStores } from '../../test-support/readable-stores.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990, waits: true })

const ADDRESS = 'ada@mail.example'

/** People with readable storage. */
function world(changes: Partial<AuthConfig> = {}) {
  const { inner, stored } = readableStores()
  const made = people(changes, { inner })
  return { ...made, stored, auth: createAuth(made.config) }
}

async function withFactor(changes: Partial<AuthConfig> = {}) {
  const made = world(changes)
  const ada = await made.signIn('email', ADDRESS)
  const factor = await setUpFactor(ada)
  return { ...made, ada, ...factor, sub: claimsIn(ada).sub }
}

async function enter(made: ReturnType<typeof people>, code = '', config = made.config) {
  const one = new Browser(config)
  await made.signIn('email', ADDRESS, one)
  await one.submit('/auth/factor', { code })
  return one
}

describe('resetFactors', () => {
  it('takes the factor away, recovery codes and all, and tells the app, the log and the person', async () => {
    const told: unknown[] = []
    const made = await withFactor({
      events: { resetFactors: (message) => void told.push(message) },
    })
    const { auth, sub, mails, lines } = made
    mails.length = 0
    await auth.resetFactors(sub, {})
    expect(told).toEqual([{ sub }])
    expect(mails.map(({ identifier, mail }) => [identifier, mail.subject])).toEqual([
      [ADDRESS, 'Your account no longer asks for a second factor'],
    ])
    expect(lines.at(-1)).toMatchObject({ event: 'factor-removed', by: 'operator' })
    const one = made.browser()
    await made.signIn('email', ADDRESS, one)
    expect(claimsIn(one)).toMatchObject({ sub, amr: ['email'] })
    expect((await auth.exportPerson(sub, {}))?.factors).toEqual([])
    await auth.resetFactors(sub, {})
    expect(told).toHaveLength(1)
  })

  it('does nothing for an unknown person, and throws on an invalid id', async () => {
    const { auth, lines } = world()
    await auth.resetFactors('nobody', {})
    expect(lines).toEqual([])
    for (const sub of ['', 'x'.repeat(256), undefined, null, 7, {}]) {
      await expect(auth.resetFactors(sub as never, {})).rejects.toThrow(
        'resetFactors needs the person’s id'.replace('’', "'"),
      )
    }
  })

  it('that cannot be written fails, and works when it is called again', async () => {
    const { auth, sub, faults } = await withFactor()
    faults.set('changeDocument', fails)
    await expect(auth.resetFactors(sub, {})).rejects.toThrow()
    faults.clear()
    await auth.resetFactors(sub, {})
    expect((await auth.exportPerson(sub, {}))?.factors).toEqual([])
  })

  it('a sign-in that waited for a code starts again', async () => {
    const made = await withFactor()
    const one = made.browser()
    await made.signIn('email', ADDRESS, one)
    await made.auth.resetFactors(made.sub, {})
    pass(30)
    const answer = await one.submit('/auth/factor', { code: made.app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    expect(await one.session()).toBeNull()
  })
})

describe('the kept data', () => {
  it('is exported without a secret', async () => {
    const made = await withFactor()
    await enter(made, made.codes[0])
    const exported = await made.auth.exportPerson(made.sub, {})
    expect(exported?.factors).toEqual([
      { type: 'totp', added: '2026-11-01T10:00:00.000Z', recoveryCodes: 9 },
    ])
  })

  it('is not a key or a recovery code that a reader of all storage could use', async () => {
    const made = world()
    const ada = await made.signIn('email', ADDRESS)
    const page = await (await ada.get('/auth/factor/setup')).text()
    const key = (/class="key">([^<]+)</.exec(page)?.[1] ?? '').replaceAll(' ', '')
    const { codes } = await setUpFactor(ada)
    expect(key).toMatch(/^[A-Z2-7]{32}$/)
    for (const text of [key, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
      expect(made.stored()).not.toContain(text)
    }
  })

  it('is gone when the person is erased, tries of codes and a sign-in that waits included', async () => {
    const made = await withFactor()
    const { auth, sub, stored, add, ada, signIn, browser } = made
    pass(2)
    await add(ada, 'one', 'ada-at-one')
    const one = browser()
    await signIn('one', 'ada-at-one', one)
    await one.submit('/auth/factor', { code: '000000' })
    expect(stored()).toContain(`factor:${sub}`)
    pass(120)
    await auth.deletePerson(sub, {})
    await one.submit('/auth/factor', { code: '000000' })
    pass(120)
    expect(stored()).not.toContain(sub)
    expect(stored()).not.toContain('ada')
    // The same address is an unknown person.
    const again = await signIn('email', ADDRESS)
    expect(claimsIn(again).amr).toEqual(['email'])
  })
})

it('a person with a way from an older version has connections, though it leaves that they are alone', async () => {
  const made = world()
  const ada = await made.signIn('one', 'ada')
  const { codes } = await setUpFactor(ada)
  const key = `person\n${claimsIn(ada).sub}`
  await made.add(ada, 'two', 'ada')
  const { ledger } = made.inner
  const { version = 0, content } = (await ledger.document(key)) ?? {}
  const left = { ...JSON.parse(content ?? ''), isAlone: true }
  await ledger.changeDocument(key, version, JSON.stringify(left))
  pass(60)
  made.calls.length = 0
  const other = made.browser()
  await other.signIn('two', 'ada')
  await other.submit('/auth/factor', { code: codes[0] })
  expect(claimsIn(other).amr).toEqual(['two', 'otp', 'mfa'])
  const written = made.calls.filter(({ name }) => name === 'changeDocument')
  expect(written.map(({ args }) => String(args[0]).split('\n')[0])).toContain('connection')
})

describe('a key whose secret is retired', () => {
  const NEXT = 'another-secret-of-the-tests-0123456789'

  it('is sealed again with the newest secret whenever a code is used', async () => {
    const made = await withFactor({ secret })
    pass(30)
    const both = { ...made.config, secret: [NEXT, secret] }
    expect(await (await enter(made, made.app.code(), both)).session()).not.toBeNull()
    pass(30)
    const next = { ...made.config, secret: NEXT }
    expect(await (await enter(made, made.app.code(), next)).session()).not.toBeNull()
  })

  it('cannot be judged, which the log says; recovery codes still work, and no user gets in without one', async () => {
    const made = await withFactor({ secret })
    pass(30)
    const next = { ...made.config, secret: NEXT }
    made.errors.length = 0
    expect(await (await enter(made, made.app.code(), next)).session()).toBeNull()
    expect(made.errors.map(({ message }) => message)).toContain(
      'A second factor is sealed with a secret that is no longer in use.',
    )
    expect(await (await enter(made, made.codes[0], next)).session()).not.toBeNull()
    expect(await (await enter(made, made.codes[0], next)).session()).toBeNull()
    expect(await (await enter(made, made.codes[1], next)).session()).not.toBeNull()
  })
})

describe('a merge of version 0.2', () => {
  it('a person with a second factor has taken others in, whose ways ask for it from then on', async () => {
    const made = people()
    const other = await made.signIn('two', 'x')
    const ada = await made.signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    pass(2)
    await made.takeIn(ada, 'two', 'x')
    pass(30)
    expect(await made.ways(ada)).toHaveLength(2)
    const one = made.browser()
    await one.signIn('two', 'x')
    expect(one.jar.has('auth.session-token')).toBe(false)
    await one.submit('/auth/factor', { code: app.code() })
    expect(claimsIn(one)).toMatchObject({ sub: claimsIn(ada).sub, amr: ['two', 'otp', 'mfa'] })
    expect(claimsIn(other).sub).not.toBe(claimsIn(ada).sub)
  })

  it('attack: a waiting sign-in is completed by a person who was taken in meanwhile', async () => {
    let isDemanded = false
    const made = people({ secondFactor: () => isDemanded })
    await made.signIn('two', 'x')
    const ada = await made.signIn('one', 'ada')
    isDemanded = true
    const waits = made.browser()
    await waits.signIn('two', 'x')
    isDemanded = false
    pass(2)
    await made.takeIn(ada, 'two', 'x')
    await expect(setUpFactor(waits)).rejects.toThrow('InvalidCheck')
    expect(await waits.session()).toBeNull()
  })
})
