import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import credentials from '../../providers/credentials.js'
import { type Browser, setsSession } from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import type { CredentialsUserConfig } from '../../types.js'

const { pass } = clock()

/** An app whose people choose their names. To it two spellings are two people. */
function deployment(options: Partial<CredentialsUserConfig> = {}) {
  const authorize = vi.fn(({ username, password }: Record<string, unknown>) =>
    password === 'right' ? { id: JSON.stringify(username ?? 'a number') } : null,
  )
  const provider = credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize,
    ...options,
  })
  const made = withMail({}, { providers: [provider] })
  const browser = (headers: Record<string, string> = { 'cf-connecting-ip': '192.0.2.1' }) =>
    made.browser(headers)
  const enter = async (fields: Record<string, unknown>, one: Browser = browser()) =>
    one.send('/auth/callback/credentials', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken: await one.csrfToken(), ...fields }),
    })
  /** How many of the guesses are judged. */
  const judged = async (fields: Record<string, unknown>, guesses: number, one?: Browser) => {
    let count = 0
    for (let at = 0; at < guesses; at++) {
      if ((await enter({ password: 'wrong', ...fields }, one)).status !== 429) count++
    }
    return count
  }
  return { ...made, browser, enter, judged }
}

describe('attack: an account with a look-alike name lifts the limits of another one', () => {
  it.each([
    ['case', 'ADA'],
    ['accents', 'ád\u0301a'],
    ['width', 'ａda'],
    ['characters that cannot be seen', 'a\u200bda'],
    ['a space', 'ada '],
  ])('that differs by %s', async (_, lookAlike) => {
    const { enter, judged } = deployment()
    let count = 0
    for (let round = 0; round < 12; round++) {
      count += await judged({ username: 'ada' }, 9)
      await enter({ username: lookAlike, password: 'right' })
    }
    expect(count).toBeLessThanOrEqual(10)
  })

  it('from a browser that is known for the look-alike', async () => {
    const { browser, enter, judged } = deployment()
    const known = browser()
    await enter({ username: 'Ada', password: 'right' }, known)
    let count = 0
    for (let round = 0; round < 5; round++) {
      count += await judged({ username: 'ada' }, 9, known)
      await enter({ username: 'Ada', password: 'right' }, known)
    }
    expect(count).toBeLessThanOrEqual(10)
  })

  it('by a form with both names, which are spelled alike', async () => {
    const { enter, judged } = deployment({
      credentials: { username: {}, email: { type: 'email' }, password: { type: 'password' } },
    })
    let count = 0
    for (let round = 0; round < 5; round++) {
      count += await judged({ username: 'ada' }, 9)
      await enter({ username: 'ADA', email: 'ada', password: 'right' })
    }
    expect(count).toBeLessThanOrEqual(10)
  })

  it('by names that are not text, which all share one count', async () => {
    const { enter, judged } = deployment()
    let count = 0
    for (let round = 0; round < 5; round++) {
      count += await judged({ username: { is: 'ada' } }, 9)
      await enter({ username: { is: 'eve' }, password: 'right' })
    }
    expect(count).toBeLessThanOrEqual(10)
  })

  it('by a form that names no user, or more users than any form has', async () => {
    for (const names of [{}, { a: 1, user: 'a', User: 'b', uSer: 'c', login: 'd', email: 'e' }]) {
      const { enter, judged } = deployment({ credentials: {} })
      let count = 0
      for (let round = 0; round < 5; round++) {
        count += await judged({ ...names, pin: '1' }, 9)
        await enter({ ...names, pin: '2', password: 'right' })
      }
      expect(count).toBeLessThanOrEqual(10)
    }
  })
})

describe('attack: many networks guess the password of one person', () => {
  const declared = { email: { type: 'email' }, password: { type: 'password' } }
  it.each<[string, string, object]>([
    ['the app declares the fields', 'email', { credentials: declared }],
    [
      'the app declares no fields, and its own page sends an address',
      'email',
      { credentials: undefined },
    ],
    [
      'the app declares no fields, and its own page sends a login',
      'login',
      { credentials: undefined },
    ],
    ['the app declares an empty form', 'email', { credentials: {} }],
    ['the page sends another field than the declared ones', 'email', {}],
    ['the form has the fields by default', 'username', { credentials: undefined }],
  ])('are counted by user if %s', async (_, name, options) => {
    const made = deployment(options as Partial<CredentialsUserConfig>)
    let count = 0
    for (let network = 1; network <= 120; network++) {
      const one = made.browser({ 'cf-connecting-ip': `198.51.${network}.1` })
      count += await made.judged({ [name]: 'ada@example.com' }, 1, one)
    }
    expect(count).toBeLessThanOrEqual(100)
  })
})

describe('a right password', () => {
  it.each(['ada', 'José', 'ＡＤＡ'])(
    'ends the count of the name as it was typed: %s',
    async (username) => {
      const { enter, judged } = deployment()
      expect(await judged({ username }, 9)).toBe(9)
      expect(setsSession(await enter({ username, password: 'right' }))).toBe(true)
      expect(await judged({ username }, 12)).toBe(10)
    },
  )

  it('does not count if it names no user: a school signs in from one network by number', async () => {
    const { enter } = deployment({ credentials: { pin: { type: 'password' } } })
    for (let pin = 0; pin < 25; pin++) {
      expect(setsSession(await enter({ pin, password: 'right' }))).toBe(true)
    }
  })

  it('takes no tries off that a later period has counted', async () => {
    const { enter, judged } = deployment()
    await judged({ username: 'ADA' }, 1)
    pass(800)
    await judged({ username: 'ada' }, 8)
    // The period of all spellings is over, and that of this one is not.
    pass(200)
    expect(await judged({ username: 'ADA' }, 9)).toBe(9)
    await enter({ username: 'ada', password: 'right' })
    expect(await judged({ username: 'ADA' }, 12)).toBe(1)
  })
})
