import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { releaseMemory } from '../../passwords/argon2id.js'
import password from '../../providers/password.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import { audited } from '../../test-support/audited.js'
import { BindingBrowser, site } from '../../test-support/binding-browser.js'
import { claimsIn, errorOf, locationOf, secret, setsSession } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { fails } from '../../test-support/faulty.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'
import type { VerificationRequest } from '../../types.js'
import { operate } from '../operate/index.js'
import { passwords } from './index.js'

const { pass } = clock({ waits: true })

const WRONG = '/auth/signin CredentialsSignin credentials'

type World = ReturnType<typeof withPasswords>

const signsIn = async (world: World, password = GOOD, email = ADA) => {
  pass(60)
  return setsSession(await world.signInBy(world.browser(), email, password))
}

const kept = async ({ inner }: World, sub: string) => {
  const document: LedgerDocument | undefined = await inner.ledger.document(`person\n${sub}`)
  return JSON.parse(document?.content ?? '{}').password as { since: number } | undefined
}

it('costs as many calls of the ledger as the documentation says', async () => {
  const world = withPasswords()
  const names = () => world.calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')
  const ada = await world.signIn('email', ADA)
  const csrfToken = await ada.csrfToken()
  world.calls.length = 0
  await ada.post('/auth/password/set', { csrfToken, password: GOOD })
  const set = names().filter((name) => name !== 'get')
  expect([set.length <= 6, set]).toEqual([true, set])
  world.calls.length = 0
  await ada.post('/auth/password/set', { csrfToken, password: OTHER, current: GOOD })
  const before = names().indexOf('cutOff')
  const changed = names()
    .slice(0, before)
    .filter((name) => !['get', 'list'].includes(name))
  // The last one asks for the session whose others end.
  expect([changed.length <= 7, changed]).toEqual([true, changed])
  await ada.post('/auth/password/set', { csrfToken, password: GOOD, current: OTHER })
  for (const one of [world.browser(), ada]) {
    const token = await one.csrfToken()
    world.calls.length = 0
    await one.post('/auth/callback/password', { csrfToken: token, email: ADA, password: OTHER })
    const wrong = names()
    expect([wrong.length <= 4, wrong]).toEqual([true, wrong])
    world.calls.length = 0
    await one.post('/auth/callback/password', { csrfToken: token, email: ADA, password: GOOD })
    const right = names().filter((name) => !['put', 'revoke', 'get', 'delete'].includes(name))
    expect([right.length <= 6, right]).toEqual([true, right])
  }
})

it('several addresses of a person have one password, and the last of them takes it along', async () => {
  const world = withPasswords()
  const ada = await world.signIn('one', 'ada')
  await world.add(ada, 'email', ADA)
  await world.add(ada, 'email', 'ada@work.example')
  await world.set(ada, GOOD)
  expect(await signsIn(world)).toBe(true)
  expect(await signsIn(world, GOOD, 'ada@work.example')).toBe(true)
  await world.signIn('one', 'ada', ada)
  const idOf = async (name: RegExp) =>
    (await world.ways(ada)).find((way) => name.test(way.name ?? ''))?.id ?? ''
  await world.remove(ada, await idOf(/@work/))
  expect(await signsIn(world, GOOD, 'ada@work.example')).toBe(false)
  expect(await signsIn(world)).toBe(true)
  await world.signIn('one', 'ada', ada)
  await world.remove(ada, await idOf(/@mail/))
  expect(await kept(world, claimsIn(ada).sub)).toBeUndefined()
  expect(world.events.at(-1)).toMatchObject({ change: 'removed', by: 'person' })
  expect(await signsIn(world)).toBe(false)
})

it('one of two email providers has the addresses of passwords', async () => {
  const mails: VerificationRequest[] = []
  const providers = [
    mailProvider(mails),
    mailProvider(mails, { id: 'work', name: 'Work' }),
    password({ email: 'work' }),
  ]
  const world = withPasswords({}, { providers }, { mails })
  const ada = await world.signedUp()
  expect(await world.ways(ada)).toMatchObject([{ provider: 'work' }])
  expect(await signsIn(world)).toBe(true)
  const other = await world.signIn('email', ADA)
  expect(claimsIn(other).sub).not.toBe(claimsIn(ada).sub)
  expect(errorOf(await world.set(other, OTHER))).toBe('/auth/error AccessDenied no_address')
})

it('a person without an address can have no password', async () => {
  const world = withPasswords()
  const ada = await world.signIn('one', 'ada')
  expect(errorOf(await world.set(ada, GOOD))).toBe('/auth/error AccessDenied no_address')
  expect(await (await ada.get('/auth/account/password')).text()).not.toContain('new-password')
})

it('is no way: it is not listed, and cannot be added', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  await world.signInBy(ada, ADA, GOOD)
  expect(await world.ways(ada)).toMatchObject([{ provider: 'email', current: true }])
  expect(errorOf(await ada.submit('/auth/ways/add', { provider: 'password' }))).toBe(
    '/auth/error AccessDenied',
  )
})

it('the operator takes it away, blocks, and erases', async () => {
  const world = withPasswords()
  const auth = createAuth(world.config)
  const ada = await world.signedUp()
  const { sub } = claimsIn(ada)
  const since = '2026-11-01T00:00:0'
  expect(await auth.getPerson(sub, {})).toMatchObject({
    password: { since: expect.stringContaining(since) },
  })
  expect(await auth.exportPerson(sub, {})).toMatchObject({
    password: { since: expect.stringContaining(since) },
  })
  await auth.blockPerson({ sub }, {})
  expect(errorOf(await world.signInBy(world.browser(), ADA, OTHER))).toBe(WRONG)
  expect(errorOf(await world.signInBy(world.browser(), ADA, GOOD))).toBe(
    '/auth/error AccessDenied blocked',
  )
  await auth.unblockPerson(sub, {})
  expect(await signsIn(world)).toBe(true)
  await auth.removePassword(sub, {})
  await auth.removePassword(sub, {})
  await auth.removePassword('nobody', {})
  expect(world.events.slice(1)).toEqual([{ sub, change: 'removed', by: 'operator' }])
  expect(await signsIn(world)).toBe(false)
  expect(await auth.exportPerson(sub, {})).not.toHaveProperty('password')
  await world.signedUp()
  await auth.deletePerson(sub, {})
  pass(2)
  expect(await signsIn(world)).toBe(false)
  await world.byMail()
  expect(await signsIn(world)).toBe(false)
})

it('password() left out: nobody signs in by it, and the person signs in by mail', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  const { sub } = claimsIn(ada)
  const config = { ...world.config, providers: [mailProvider(world.mails)] }
  const auth = createAuth(config)
  const pages = ['/password', '/account/password', '/passkey/offer', '/callback/password']
  const forms = ['/signin/password', '/callback/password', '/password/set', '/password/remove']
  for (const [method, paths] of [
    ['GET', pages],
    ['POST', forms],
  ] as const) {
    for (const path of paths) {
      const request = new Request(`http://localhost:8787/auth${path}`, { method })
      expect([method, path, (await auth.fetch(request)).status]).toEqual([method, path, 404])
    }
  }
  expect(await auth.exportPerson(sub, {})).toHaveProperty('password')
  const other = withPasswords({}, { ...config }, { inner: world.inner, mails: world.mails })
  expect((await (await other.signIn('email', ADA)).session())?.user).toMatchObject({ email: ADA })
})

it('attack: the feature left out, so that its person signs in without what it says', async () => {
  const world = withPasswords()
  await world.signedUp()
  const other = withPasswords(
    {},
    { providers: [mailProvider(world.mails)], features: [] },
    { inner: world.inner, mails: world.mails },
  )
  const one = other.browser()
  await other.signIn('email', ADA, one)
  expect(await one.session()).toBeNull()
  expect(other.errors.map(({ message }) => message).join()).toContain('features/passwords')
})

it('attack: a copy of the ledger: a retired secret makes a password wrong, and a reset helps', async () => {
  const world = withPasswords()
  await world.signedUp()
  const warnings: string[] = []
  const logger = {
    warn: (code: string, detail = '') => void warnings.push(`${code}: ${detail}`),
    error: () => {},
    info: () => {},
  }
  const newer = 'another-secret-of-the-tests-0123456789ab'
  const more = { inner: world.inner, mails: world.mails }
  const rotated = withPasswords({}, { secret: [newer, secret] }, more)
  expect(await signsIn(rotated)).toBe(true)
  const retired = withPasswords({}, { secret: newer, logger }, more)
  expect(await signsIn(retired)).toBe(true)
  await world.signedUp('grace@mail.example')
  expect(await signsIn(retired, OTHER)).toBe(false)
  expect(await signsIn(retired, OTHER, 'nobody@mail.example')).toBe(false)
  const unreadable = () => warnings.filter((one) => one.startsWith('password-unreadable'))
  expect(unreadable()).toEqual([])
  expect(await signsIn(retired, GOOD, 'grace@mail.example')).toBe(false)
  expect(unreadable()).toEqual([
    expect.stringMatching(/: The password of \S{22} is sealed with a secret/),
  ])
  await retired.signedUp('grace@mail.example', OTHER)
  expect(await signsIn(retired, OTHER, 'grace@mail.example')).toBe(true)
})

it('the package that hashes is missing: Configuration, and nothing is stored', async () => {
  const world = withPasswords()
  // As in a process that has hashed nothing yet.
  releaseMemory()
  const { instantiate } = WebAssembly
  WebAssembly.instantiate = (() => Promise.reject(new Error('missing'))) as never
  try {
    const one = world.browser()
    const csrfToken = await one.csrfToken()
    world.calls.length = 0
    const answer = await one.post('/auth/callback/password', {
      csrfToken,
      email: ADA,
      password: GOOD,
    })
    expect(errorOf(answer)).toMatch('/auth/error Configuration')
    expect(world.calls.filter(({ name }) => name === 'admit')).toEqual([])
    expect(world.errors.map(({ message }) => message).join()).toContain('@phi-ag/argon2')
  } finally {
    WebAssembly.instantiate = instantiate
  }
})

it('attack: a change whose end of the other sessions failed: the next one with the new password ends them', async () => {
  for (const how of ['the form again', 'a sign-in'] as const) {
    const world = withPasswords()
    const ada = await world.signedUp()
    pass(5)
    const thief = world.browser()
    await world.signInBy(thief, ADA, GOOD)
    pass(5)
    world.faults.set('cutOff', fails)
    expect((await world.set(ada, OTHER, { current: GOOD })).status).toBe(503)
    world.faults.delete('cutOff')
    expect(await thief.session()).not.toBeNull()
    pass(5)
    if (how === 'a sign-in') expect(await signsIn(world, OTHER)).toBe(true)
    else {
      await world.set(ada, OTHER)
      const changed = { sub: claimsIn(ada).sub, change: 'changed', by: 'person' }
      expect(world.events.slice(1)).toEqual([changed, changed])
    }
    expect(await thief.session()).toBeNull()
    expect(await signsIn(world, OTHER)).toBe(true)
  }
})

it('attack: a sign-in with the old password while it is changed leaves no session', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  pass(600)
  const thief = world.browser()
  const csrfToken = await thief.csrfToken()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  // The old hash was read and judged; the session is about to begin.
  world.faults.set('put', async (...args) => {
    await held
    return world.inner.sessions.put(...(args as Parameters<typeof world.inner.sessions.put>))
  })
  const signingIn = thief.post('/auth/callback/password', { csrfToken, email: ADA, password: GOOD })
  await expect
    .poll(
      () =>
        world.calls.some(
          ({ name, args }) => name === 'put' && args[0] !== undefined && world.faults.has('put'),
        ) && world.calls.at(-1)?.name === 'put',
    )
    .toBe(true)
  await world.set(ada, OTHER, { current: GOOD })
  expect(world.events.at(-1)).toMatchObject({ change: 'changed' })
  release()
  await signingIn
  expect(await thief.session()).toBeNull()
})

it('two changes at once: the later one has to know the password that the first one has set', async () => {
  const world = withPasswords()
  const ada = await world.signedUp()
  pass(600)
  const copy = world.copyOf(ada)
  const answers = await Promise.all([
    world.set(ada, OTHER, { current: GOOD }),
    world.set(copy, 'a third long phrase', { current: GOOD }),
  ])
  expect(answers.map((one) => errorOf(one)).sort()).toEqual([
    '/auth/account',
    '/auth/account/password CredentialsSignin wrong_password',
  ])
  const works = [await signsIn(world, OTHER), await signsIn(world, 'a third long phrase')]
  expect(works.filter(Boolean)).toHaveLength(1)
  expect(await signsIn(world)).toBe(false)
})

it('attack: a fault at any call of a set or a change leaves the password before, or the new one', async () => {
  for (const isChange of [false, true]) {
    for (let at = 0, isOver = false; !isOver; at++) {
      const world = withPasswords()
      const ada = isChange ? await world.signedUp() : await world.signIn('email', ADA)
      const csrfToken = await ada.csrfToken()
      pass(30)
      let calls = 0
      const { ledger } = world.inner
      const names = Object.keys(ledger) as (keyof typeof ledger)[]
      for (const name of names) {
        world.faults.set(name, (...args) => {
          const run = ledger[name] as (...args: unknown[]) => Promise<unknown>
          return calls++ === at ? fails() : run(...args)
        })
      }
      const fields = { csrfToken, password: OTHER, ...(isChange ? { current: GOOD } : {}) }
      const { status } = await ada.post('/auth/password/set', fields)
      isOver = calls <= at
      world.faults.clear()
      const [old, fresh] = [isChange && (await signsIn(world)), await signsIn(world, OTHER)]
      expect([at, status === 302 && !isOver, old && fresh, isChange && !old && !fresh]).toEqual([
        at,
        expect.any(Boolean),
        false,
        false,
      ])
    }
  }
})

it('attack: the store fails after a password is written, so that its person never hears of it', async () => {
  for (const [isChange, method, isLost] of [
    [false, 'isRevoked', false],
    [true, 'cutOff', false],
    [true, 'cutOff', true],
  ] as const) {
    const world = withPasswords()
    const ada = isChange ? await world.signedUp() : await world.signIn('email', ADA)
    pass(30)
    const before = world.notices().length
    const { ledger } = world.inner
    const run = ledger[method] as (...args: unknown[]) => Promise<unknown>
    world.faults.set('changeDocument', async (...args) => {
      world.faults.set(method, async (...given) => {
        if (isLost) await run(...given)
        return fails()
      })
      return ledger.changeDocument(...(args as Parameters<typeof ledger.changeDocument>))
    })
    const fields = isChange ? { current: GOOD } : {}
    expect((await world.set(ada, OTHER, fields)).status).toBe(503)
    world.faults.clear()
    expect(world.notices().slice(before)).toEqual([
      expect.stringMatching(isChange ? /was changed$/ : /was set/),
    ])
    await world.set(ada, OTHER, fields)
    expect(await signsIn(world, OTHER)).toBe(true)
  }
})

it('attack: a thief with the password has bound a session to their device: a change ends it, and spares the one that asks', async () => {
  const world = withPasswords({}, { boundSessions: true, trustedOrigins: [site] })
  const ada = new BindingBrowser(world.config)
  await ada.register(await world.byMail(ADA, ada))
  await world.set(ada, GOOD)
  const thief = new BindingBrowser(world.config)
  await thief.register(await world.signInBy(thief, ADA, GOOD))
  expect([(await ada.renew()).status, (await thief.renew()).status]).toEqual([200, 200])
  pass(2)
  const { exp } = ada.claims
  const change = await world.set(ada, OTHER, { current: GOOD })
  expect(locationOf(change)).toBe(`${site}/auth/account`)
  // A change does not prove the device.
  expect(ada.claims.exp).toBe(exp)
  expect([(await ada.renew()).status, (await thief.renew()).status]).toEqual([200, 401])
  expect(await thief.session()).toBeNull()
  pass(200)
  const { sid } = ada.claims
  await world.signInBy(ada, ADA, OTHER, { maxAge: '60' })
  expect(ada.claims).toMatchObject({ sid, amr: ['password', 'pwd'], cnf: expect.anything() })
  expect((await ada.renew()).status).toBe(200)
})

it('attack: somebody reads the audit log: it has each change and refusal, and no password, hash or address', async () => {
  const mails: VerificationRequest[] = []
  const world = audited({
    features: [passwords, operate()],
    providers: [mailProvider(mails), password()],
  })
  const ada = world.browserAt()
  await ada.submit('/auth/signin/password', { email: ADA })
  const link = new URL(mails[0]?.url ?? '')
  await ada.get(link.pathname + link.search)
  await ada.submit('/auth/password/set', { password: GOOD })
  await ada.submit('/auth/password/set', { password: OTHER, current: GOOD })
  await ada.submit('/auth/callback/password', { email: ADA, password: 'a wrong long phrase' })
  await ada.submit('/auth/password/remove')
  const records = await world.records()
  expect(records.map((record) => 'event' in record && record.event)).toEqual([
    'sign-in',
    'password-set',
    'sessions-ended',
    'password-changed',
    'sign-in-refused',
    'password-removed',
  ])
  expect(JSON.stringify(records)).not.toMatch(/phrase|argon2|ada@/)
})

it('errors at the start name the option', async () => {
  const mails = [mailProvider([])]
  const wrong = {
    'needs the provider email()': [password()],
    '`minLength`': [...mails, password({ minLength: 7 })],
    '`email`': [...mails, password({ email: 'nothing' })],
    '`context`': [...mails, password({ context: ['ab'] })],
    '`breached`': [...mails, password({ breached: 'yes' as never })],
    '"pepper"': [...mails, password({ pepper: 'x' } as never)],
    'stands twice': [...mails, password(), password()],
    several: [...mails, mailProvider([], { id: 'work' }), password()],
    sender: [
      mailProvider([], { from: 'nothing', sendVerificationRequest: undefined as never }),
      password(),
    ],
  }
  for (const [message, providers] of Object.entries(wrong)) {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error) }
    const auth = createAuth({ providers, features: [passwords], secret, logger })
    expect((await auth.fetch(new Request('http://localhost:8787/api/auth/csrf'))).status).toBe(500)
    expect(errors.map((error) => error.message).join()).toContain(message)
  }
})
