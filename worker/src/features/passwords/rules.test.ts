import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { customFetch } from '../../lib/symbols.js'
import { errorOf } from '../../test-support/browser.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'
import { isCommon } from './common.js'
import { faultOf } from './rules.js'

const { advance, takeTimers } = clock({ waits: true })

/** A password by the fault that it has at 15 characters, and at 8. */
const PASSWORDS: readonly (readonly [password: unknown, at15: string, at8: string])[] = [
  [undefined, 'invalid', 'invalid'],
  ['', 'invalid', 'invalid'],
  [['a long enough phrase'], 'invalid', 'invalid'],
  ['half of a character \ud83d', 'invalid', 'invalid'],
  ['seven77', 'short', 'short'],
  ['fourteen chars', 'short', 'none'],
  ['🦔'.repeat(14), 'short', 'common'],
  ['é'.normalize('NFD').repeat(14), 'short', 'common'],
  [`${GOOD}${'🦔'.repeat(236)}`, 'none', 'none'],
  [`${GOOD}${'🦔'.repeat(237)}`, 'long', 'long'],
  ['\u0301'.repeat(60_000), 'long', 'long'],
  // One character of six UTF-16 units in the form NFD.
  [`${GOOD}${'\u{16126}'.normalize('NFD').repeat(236)}`, 'none', 'none'],
  [`${GOOD}${'\u{16126}'.normalize('NFD').repeat(237)}`, 'long', 'long'],
  ['Password', 'short', 'common'],
  ['ILoveYou', 'short', 'common'],
  ['sunshine1', 'short', 'common'],
  ['passwordPASSWOR', 'common', 'common'],
  ['0123456789012345678', 'common', 'common'],
  ['987654321098765', 'common', 'common'],
  ['lkjhgfdsapoiuytrewq', 'common', 'common'],
  ['1qaz2wsx3edc4rfv', 'common', 'common'],
  ['xyzabcdefghijklm', 'common', 'common'],
  ['dragonbaseball12', 'none', 'none'],
  ['baseballfootball', 'common', 'common'],
  ['q1w2e3r4t5y6u7i8o9p0', 'common', 'common'],
  ['PolniyPizdec0211', 'common', 'common'],
  [GOOD, 'none', 'none'],
  ['  spaces count  ', 'none', 'none'],
  ['\0 and \n count as well', 'none', 'none'],
  ['correct horse battery staple', 'none', 'none'],
]

it.each(PASSWORDS)('names the first fault: %s', async (password, at15, at8) => {
  expect((await faultOf(password, 15, [])) ?? 'none').toBe(at15)
  expect((await faultOf(password, 8, [])) ?? 'none').toBe(at8)
})

it('every password of the list is common, and hardly any other one is', async () => {
  const source = new URL('../../../common-passwords.txt', import.meta.url)
  const [, short = '', long = ''] = (await readFile(source, 'utf8')).trim().split('\n\n')
  for (const one of [short, long].flatMap((block) => block.split('\n'))) {
    expect([one, isCommon(one.toUpperCase())]).toEqual([one, true])
  }
  const refused = (length: number, count: number) =>
    Array.from({ length: count }, (_, at) => `${at} ${'xylophone zebra'.slice(0, length)}`).filter(
      isCommon,
    )
  expect(refused(15, 100_000)).toEqual([])
  expect(refused(4, 10_000).length).toBeLessThan(10)
})

it('words of the site and of the person are easy to guess', async () => {
  const context = ['Acme', 'auth', 'example', 'ada.lovelace@mail.example', 'ada.lovelace', 'io']
  for (const [password, fault] of [
    ['acme-ACME-Acme!!', 'context'],
    ['ada.lovelace1234', 'context'],
    ['ada.lovelace@mail.example', 'context'],
    ['Acme and eight more', undefined],
    ['ioioioio with other words', undefined],
  ] as const) {
    expect([password, await faultOf(password, 8, context)]).toEqual([password, fault])
  }
})

it('the name of the site, its host and the address of the person are such words', async () => {
  const world = withPasswords(
    { minLength: 8, context: ['winter'] },
    { theme: { name: 'Acme Mail' } },
  )
  const ada = await world.signIn('email', 'lovelace@mail.example')
  for (const password of ['Acme Mail 1', 'lovelace123', 'Winter2026!']) {
    expect([password, errorOf(await world.set(ada, password))]).toEqual([
      password,
      '/auth/account/password CredentialsSignin password_context',
    ])
  }
  expect(world.events).toEqual([])
})

it('a refusal keeps the page after it, shows no password, and uses nothing up', async () => {
  const world = withPasswords()
  const ada = await world.signIn('email', ADA)
  const answer = await world.set(ada, 'short', { callbackUrl: '/inbox' })
  const page = new URL(answer.headers.get('location') ?? '')
  expect([page.pathname, [...page.searchParams]]).toEqual([
    '/auth/account/password',
    [
      ['error', 'CredentialsSignin'],
      ['code', 'password_short'],
      ['callbackUrl', 'http://localhost:8787/inbox'],
    ],
  ])
  const text = await (await ada.get(page.pathname + page.search)).text()
  expect(text).toContain('This password is too short.')
  expect(text).toContain('href="http://localhost:8787/inbox"')
  const json = await world.set(ada, 'short', {}, { 'x-auth-return-redirect': '1' })
  expect([json.status, await json.json()]).toEqual([
    401,
    expect.objectContaining({ error: 'CredentialsSignin', code: 'password_short' }),
  ])
  await world.set(ada, GOOD)
  expect(world.events).toHaveLength(1)
})

it('attack: a password of a breach, a service that is down, and one that lies', async () => {
  const asked: string[] = []
  let answer = () => Promise.resolve(new Response('', { status: 500 }))
  const warnings: string[] = []
  const world = withPasswords(
    {
      breached: true,
      [customFetch]: ((url: string, init: RequestInit) => {
        asked.push(`${url} ${new Headers(init.headers).get('add-padding')}`)
        return answer()
      }) as typeof fetch,
    },
    { logger: { warn: (code) => void warnings.push(code), error: () => {}, info: () => {} } },
  )
  const ada = await world.signIn('email', ADA)
  // The SHA-1 of the password, without its first five digits.
  const digest = Buffer.from(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(GOOD)))
    .toString('hex')
    .toUpperCase()
  answer = async () => new Response(`0000\r\n${digest.slice(5)}:12\r\n`)
  expect(errorOf(await world.set(ada, GOOD))).toMatch(/password_breached$/)
  expect(asked).toEqual([`https://api.pwnedpasswords.com/range/${digest.slice(0, 5)} true`])
  answer = async () => new Response(`${digest.slice(5)}:0\r\n<html>${'x'.repeat(10_000)}`)
  await world.set(ada, GOOD)
  expect([world.events.length, warnings]).toEqual([1, []])
  answer = async () => new Response('', { status: 500 })
  await world.set(ada, OTHER)
  expect([world.events.length, warnings]).toEqual([2, ['breach-check-skipped']])
  // A proxy's page with status 200 has no digests.
  answer = async () => new Response('<html>Please sign in</html>')
  await world.set(ada, 'a third long phrase', { current: OTHER })
  expect([world.events.length, warnings.length]).toEqual([3, 2])
})

it('a breach service that is silent lets the password pass after two seconds', async () => {
  const world = withPasswords({
    breached: true,
    [customFetch]: (() => new Promise(() => {})) as never,
  })
  const ada = await world.signIn('email', ADA)
  takeTimers()
  const set = world.set(ada, GOOD)
  let isDone = false
  const done = set.finally(() => {
    isDone = true
  })
  for (let tries = 0; !isDone && tries < 2_000; tries++) {
    await advance(50)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  expect(world.events).toHaveLength(1)
})
