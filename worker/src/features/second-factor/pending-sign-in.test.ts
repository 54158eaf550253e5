import { expect, it } from 'vitest'
import { fieldOn } from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { deriveKeyRing } from '../../lib/key-ring.js'
import { customFetch } from '../../lib/symbols.js'
import type { MailedProof } from '../../stores/ledger/types.js'
import {
  Browser,
  claimsIn,
  copyOf,
  errorOf,
  everythingIn,
  locationOf,
  origin,
  secret,
} from '../../test-support/browser.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { OAuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

/** Somebody whose sign-in waits for a code. */
async function waiting(changes = {}) {
  const world = people(changes)
  const ada = await world.signIn('one', 'ada')
  const { app } = await setUpFactor(ada)
  pass(30)
  const other = world.browser()
  await other.signIn('one', 'ada')
  const messages = () => world.errors.map(({ message }) => message)
  return { ...world, ada, app, other, messages }
}

/** A provider whose accounts have a member as large as this. */
function describing(note: unknown) {
  const world = people({ secondFactor: () => true })
  const [one] = world.config.providers ?? []
  const profile = () => ({ id: 'ada', name: 'Ada', note })
  Object.assign(world.config, { providers: [{ ...one, profile }] })
  return world
}

it('by a provider that is taken from the configuration meanwhile it no longer counts', async () => {
  const { app, other, config, messages } = await waiting()
  const [, ...rest] = config.providers ?? []
  const now = copyOf(other, { ...config, providers: rest })
  const answer = await now.submit('/auth/factor', { code: app.code() })
  expect(errorOf(answer)).toBe('/auth/error AccessDenied')
  expect(await now.session()).toBeNull()
  expect(messages().at(-1)).toBe(
    'The provider of a sign-in that waited is not configured any more.',
  )
})

it('that the version before has begun is finished, under the name that it has there', async () => {
  const world = await waiting()
  const { app, browser, calls, inner, faults } = world
  let id = ''
  faults.set('startVerification', async (key, mailed) => {
    id = String(key).split('\n')[1] ?? ''
    await inner.ledger.startVerification(`factor:${id}`, mailed as MailedProof)
  })
  const other = browser()
  await other.signIn('one', 'ada')
  const [name = ''] = [...other.jar.keys()].filter((one) => one.endsWith(id))
  const { flow } = await deriveKeyRing([secret], Date.now)
  const { isTheirs, ...before } = (await flow.open(other.jar.get(name) ?? '')) ?? {}
  expect(isTheirs).toBe(true)
  other.jar.set(name, await flow.seal(before, Date.now() / 1000 + 600))
  await other.submit('/auth/factor', { code: app.code() })
  expect(await other.session()).not.toBeNull()
  expect(calls.find((one) => one.name === 'redeemVerification')?.args[0]).toBe(`factor:${id}`)
})

it('that the version before has kept waits for the code alone, and does not ask for it twice', async () => {
  const { add, browser, faults, inner, signIn, signUp, authenticator } = passkeyPeople()
  const { one: ada } = await signUp(authenticator(), { name: 'Ada' })
  await add(ada, 'one', 'ada')
  // Beside the passkey it does not count yet, so that its code leaves the session at one factor.
  const { app } = await setUpFactor(await signIn('one', 'ada'))
  pass(60)
  faults.set('startVerification', async (name, given) => {
    const mailed = given as MailedProof
    const sealer = await (await deriveKeyRing([secret], Date.now)).sealer('factor')
    const { kept } = (await sealer.open(mailed.sealed)) ?? {}
    const { passed, ...before } = JSON.parse(String(kept))
    expect(passed).toEqual(['second-factor'])
    const sealed = await sealer.seal({ kept: JSON.stringify(before) }, mailed.expires)
    await inner.ledger.startVerification(String(name), { ...mailed, sealed })
  })
  const other = browser()
  await other.signIn('one', 'ada')
  await other.submit('/auth/factor', { code: app.code() })
  expect(claimsIn(other).amr).toEqual(['one', 'otp'])
})

it('for a person who has signed out everywhere it no longer counts, and the log says so', async () => {
  const { ada, app, other, messages } = await waiting()
  await ada.submit('/auth/sessions/revoke', { session: 'all' })
  await other.submit('/auth/factor', { code: app.code() })
  expect(messages().at(-1)).toBe(
    'A sign-in that waited no longer counts: its person, or the way, is gone.',
  )
})

it('that was finished in another tab says so to the second right code', async () => {
  const { app, other, config, messages } = await waiting()
  const copy = copyOf(other, config)
  await other.submit('/auth/factor', { code: app.code() })
  pass(30)
  await copy.submit('/auth/factor', { code: app.code() })
  expect(messages().at(-1)).toBe('A sign-in that waited was finished before, or too long ago.')
})

it.each([
  ['a user that is not JSON', 1n, 'A user that is not JSON cannot wait for a second factor.'],
  [
    'a user of half a megabyte',
    'x'.repeat(512 * 1024),
    'A profile is too large to wait for a second factor.',
  ],
])('%s does not wait, and signs no user in', async (_, note, message) => {
  const world = describing(note)
  const ada = world.browser()
  const answer = await ada.signIn('one', 'ada')
  expect(errorOf(answer)).toBe('/auth/error Configuration')
  expect(world.errors.map((error) => error.message)).toEqual([message])
  const isGiven = everythingIn(world.errors[0]).includes('Do not know how to serialize a BigInt')
  expect(isGiven).toBe(typeof note === 'bigint')
  expect(world.calls.map(({ name }) => name)).not.toContain('startVerification')
  expect(await ada.session()).toBeNull()
})

it.each([
  ['the address', { email: 'ada@mail.example', name: 'Ada' }, 'ada@mail.example'],
  ['the name of a person without an address', { name: 'Ada' }, 'Ada'],
  ['nothing, if they have neither', {}, undefined],
  ['64 characters of a longer name', { name: 'x'.repeat(65) }, 'x'.repeat(64)],
])('calls a user by %s', async (_, described, name) => {
  const world = people({ secondFactor: () => true })
  const [one] = world.config.providers ?? []
  const profile = () => ({ id: 'ada', ...described })
  Object.assign(world.config, { providers: [{ ...one, profile }] })
  const ada = world.browser()
  expect(locationOf(await ada.signIn('one', 'ada'))).toBe(`${origin}/auth/factor/setup`)
  const page = await (await ada.get('/auth/factor/setup')).text()
  const [, shown] = page.match(/Your account:<br\/><strong>(.*?)<\/strong>/) ?? []
  expect(shown).toBe(name)
})

it('lasts to the last second of its ten minutes, and its session began with the code', async () => {
  const { app, other } = await waiting()
  pass(10 * 60 - 1)
  await other.submit('/auth/factor', { code: app.code() })
  expect(claimsIn(other).auth_time).toBe(Math.floor(Date.now() / 1000))
})

it('is chosen by its form: with two that wait in one browser the older one is finished', async () => {
  const { signIn, subOf, app, other, ada } = await waiting()
  const older = fieldOn(await (await other.get('/auth/factor')).text(), 'flow')
  const bob = await signIn('one', 'bob')
  await setUpFactor(bob)
  pass(30)
  await other.signIn('one', 'bob')
  const newer = fieldOn(await (await other.get('/auth/factor')).text(), 'flow')
  expect(newer).not.toBe(older)
  await other.submit('/auth/factor', { flow: older, code: app.code() })
  expect(subOf(other)).toBe(subOf(ada))
  // The one that was finished is gone from the browser, and the other one waits.
  const names = [...other.jar.keys()].filter((name) => name.includes('flow'))
  expect(names.some((name) => name.endsWith(older))).toBe(false)
  expect(names.some((name) => name.endsWith(newer))).toBe(true)
})

it('without its form the newest in the browser is meant, in whatever order that sends its cookies', async () => {
  const { signIn, other } = await waiting()
  const flowOn = async () => fieldOn(await (await other.get('/auth/factor')).text(), 'flow')
  const older = await flowOn()
  const bob = await signIn('one', 'bob')
  await setUpFactor(bob)
  pass(30)
  await other.signIn('one', 'bob')
  const newer = await flowOn()
  const cookies = [...other.jar].reverse()
  other.jar.clear()
  for (const [name, value] of cookies) other.jar.set(name, value)
  expect(cookies.findIndex(([name]) => name.endsWith(newer))).toBeLessThan(
    cookies.findIndex(([name]) => name.endsWith(older)),
  )
  expect(await flowOn()).toBe(newer)
})

it('is found among an app’s own cookies, as one of the ten newest, whatever a sibling host has tossed', async () => {
  const { other } = await waiting()
  const flow = fieldOn(await (await other.get('/auth/factor')).text(), 'flow')
  const name = [...other.jar.keys()].find((one) => one.endsWith(flow)) ?? ''
  const statusWith = async (names: readonly string[]) => {
    const cookie = [other.cookie, ...names.map((one) => `${one}=x`)].join('; ')
    return (await other.get('/auth/factor', { cookie })).status
  }
  const many = (count: number, nameOf: (index: string) => string) =>
    Array.from({ length: count }, (_, index) => nameOf(String(index).padStart(2, '0')))
  expect(await statusWith(many(20, (index) => `zz.${index}`))).toBe(200)
  const newer = (index: string) => name.replace(flow, `zzzzzzzzz-${index.padEnd(11, 'x')}`)
  expect(await statusWith(many(9, newer))).toBe(200)
  expect(await statusWith(many(10, newer))).toBe(302)
})

it('is redeemed with a secret of its own, which its browser alone has', async () => {
  const { app, other, calls, signIn } = await waiting()
  await signIn('one', 'ada')
  await other.submit('/auth/factor', { code: app.code() })
  const given = (method: string) =>
    calls.flatMap(({ name, args }) => (name === method ? [args] : []))
  const kept = given('startVerification').map(([key, mailed]) => ({ key, ...(mailed as object) }))
  expect(new Set(kept.map((one) => (one as { link?: string }).link)).size).toBe(kept.length)
  const [[key, proof] = []] = given('redeemVerification')
  expect(proof).toEqual({ link: expect.stringMatching(/^[\w-]{43}$/) })
  expect(kept).toContainEqual(expect.objectContaining({ key, ...(proof as object) }))
})

it('keeps how fresh a sign-in was asked for, for the page that it ends at', async () => {
  const { browser } = await waiting()
  const one = browser()
  const start = await one.submit('/auth/signin/one', { callbackUrl: '/inbox', maxAge: '300' })
  const state = new URL(locationOf(start)).searchParams.get('state') ?? ''
  await one.get(`/auth/callback/one?${new URLSearchParams({ code: 'ada', state })}`)
  const page = await (await one.get('/auth/factor')).text()
  expect(fieldOn(page, 'maxAge')).toBe('300')
})

it('counts from when its first factor came, not from when the provider had answered', async () => {
  const { config, app, ada } = await waiting()
  const { sub } = claimsIn(ada)
  const auth = createAuth(config)
  const one = config.providers?.[0] as OAuthConfig
  const ask = one[customFetch] as typeof fetch
  const slowly: typeof fetch = async (input, init) => {
    if (String(input).endsWith('/userinfo')) {
      pass(2)
      await auth.endSessions({ sub }, {})
      pass(2)
    }
    return ask(input, init)
  }
  const slow = new Browser({ ...config, providers: [{ ...one, [customFetch]: slowly }] })
  expect(locationOf(await slow.signIn('one', 'ada'))).toBe(`${origin}/auth/factor`)
  const answer = await slow.submit('/auth/factor', { code: app.code() })
  expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
  expect(await slow.session()).toBeNull()
})
