import { describe, expect, it } from 'vitest'
import {
  AuthenticatorApp,
  fieldOn,
  keyOn,
  recoveryCodesOn,
} from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, errorOf, locationOf, origin, setsSession } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const later = () => pass(30)
const FRESH = `${origin}/auth/signin?maxAge=300&callbackUrl=`

/** Does a sign-in with this account ask for a code? */
async function isAsked(
  { browser, signIn }: ReturnType<typeof people>,
  provider: string,
  account: string,
) {
  const one = browser()
  await signIn(provider, account, one)
  return (await one.session()) === null && (await one.get('/auth/factor')).status === 200
}

describe('GET /factor/setup', () => {
  it('shows the key as text in groups of four, and as a picture that is dark on white', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    const answer = await ada.get('/auth/factor/setup')
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(keyOn(page)).toMatch(/^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
    expect(page).toMatch(/<svg class="qr"[^>]* role="img" aria-label="[^"]+"/)
    expect(page).toContain('fill="#fff"')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  it('shows the same key for ten minutes, in every tab, and another one to another session', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    const keyIn = async (one: typeof ada) =>
      keyOn(await (await one.get('/auth/factor/setup')).text())
    const key = await keyIn(ada)
    pass(200)
    expect(await keyIn(ada)).toBe(key)
    expect(await keyIn(await signIn('one', 'ada'))).not.toBe(key)
    await ada.signIn('one', 'ada')
    expect(await keyIn(ada)).not.toBe(key)
  })

  it.each(['nobody', 'a user who signed in a while ago'])(
    '%s signs in first, and comes back',
    async (who) => {
      const { signIn, browser } = people()
      const one = who === 'nobody' ? browser() : await signIn('one', 'ada')
      pass(301)
      const answer = await one.get('/auth/factor/setup')
      expect(answer.status).toBe(302)
      expect(locationOf(answer)).toBe(FRESH + encodeURIComponent(`${origin}/auth/factor/setup`))
      const posted = await one.submit('/auth/factor/setup', { code: '123456' })
      expect(locationOf(posted)).toBe(FRESH + encodeURIComponent(`${origin}/auth/factor/setup`))
    },
  )

  it('HEAD makes no key', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    const answer = await ada.send('/auth/factor/setup', { method: 'HEAD' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
  })

  it('leads a user with a factor to the account page', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    await setUpFactor(ada)
    expect(locationOf(await ada.get('/auth/factor/setup'))).toBe(`${origin}/auth/account`)
    expect(locationOf(await ada.submit('/auth/factor/setup', { code: '123456' }))).toBe(
      `${origin}/auth/account`,
    )
  })
})

describe('POST /factor/setup', () => {
  it('switches it on, shows ten codes, and the session says from then on that it was proved', async () => {
    const world = people()
    const ada = await world.signIn('email', 'ada@mail.example')
    const before = claimsIn(ada)
    world.mails.length = 0
    const { codes, page } = await setUpFactor(ada)
    expect(codes).toHaveLength(10)
    expect(page).toContain(`href="${origin}/auth/account"`)
    expect(claimsIn(ada)).toEqual({ ...before, amr: ['email', 'otp', 'mfa'] })
    expect(world.mails.map(({ identifier, mail }) => [identifier, mail.subject])).toEqual([
      ['ada@mail.example', 'Your account now asks for a second factor'],
    ])
    expect(world.mails[0]?.mail.text).not.toContain(codes[0])
    expect(world.lines.at(-1)).toMatchObject({ event: 'factor-set-up', by: 'person' })
    expect(await isAsked(world, 'email', 'ada@mail.example')).toBe(true)
  })

  it('a wrong code switches nothing on, and the key stays', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const key = keyOn(await (await ada.get('/auth/factor/setup')).text())
    for (const code of ['000000', '', 'abc', '1234567']) {
      const answer = await ada.submit('/auth/factor/setup', { code })
      expect(errorOf(answer)).toBe('/auth/factor/setup CredentialsSignin wrong_code')
    }
    const page = await (
      await ada.get('/auth/factor/setup?error=CredentialsSignin&code=wrong_code')
    ).text()
    expect(keyOn(page)).toBe(key)
    expect(page).toContain('That code is wrong')
    expect(await isAsked(world, 'one', 'ada')).toBe(false)
  })

  it('gives a caller that wants JSON the codes', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
    const answer = await ada.submit(
      '/auth/factor/setup',
      { code: app.code() },
      { 'x-auth-return-redirect': '1' },
    )
    expect(await answer.json()).toEqual({
      url: `${origin}/auth/account`,
      recoveryCodes: expect.arrayContaining([expect.stringMatching(/^(?:\w{4}-){5}\w{4}$/)]),
    })
  })

  it('attack: another session confirms the key than the one that began, also of the same person', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const page = await (await ada.get('/auth/factor/setup')).text()
    const app = new AuthenticatorApp(keyOn(page))
    for (const account of ['mallory', 'ada']) {
      const other = await world.signIn('one', account)
      for (const [name, value] of ada.jar) {
        if (name.includes('flow')) other.jar.set(name, value)
      }
      for (const fields of [{}, { flow: 'session', key: fieldOn(page, 'key') }]) {
        const answer = await other.submit('/auth/factor/setup', { ...fields, code: app.code() })
        expect(errorOf(answer)).toBe('/auth/factor/setup InvalidCheck')
      }
    }
    expect(await isAsked(world, 'one', 'ada')).toBe(false)
    expect(await isAsked(world, 'one', 'mallory')).toBe(false)
  })

  it('attack: a session that is over confirms it', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
    const thief = world.copyOf(ada)
    await ada.submit('/auth/signout')
    const answer = await thief.submit('/auth/factor/setup', { code: app.code() })
    expect(locationOf(answer)).toMatch(/\/auth\/signin\?maxAge=300/)
    expect(await isAsked(world, 'one', 'ada')).toBe(false)
  })

  it('attack: csrf: a form of another site switches nothing on', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
    for (const path of ['setup', 'recovery', 'remove']) {
      const answer = await ada.post(`/auth/factor/${path}`, { code: app.code() })
      expect(errorOf(answer)).toBe('/auth/signin MissingCSRF')
    }
    expect(await isAsked(world, 'one', 'ada')).toBe(false)
  })

  it('by two tabs with keys of their own: the first one counts, and both say where to go on', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const other = world.copyOf(ada)
    const pages = await Promise.all(
      [ada, other].map(async (one) => (await one.get('/auth/factor/setup')).text()),
    )
    const keys = pages.map((page) => fieldOn(page, 'key'))
    const apps = pages.map((page) => new AuthenticatorApp(keyOn(page)))
    // One browser has the cookies of both.
    for (const [name, value] of other.jar) ada.jar.set(name, value)
    const confirm = (at: number) =>
      ada.submit('/auth/factor/setup', { key: keys[at], code: apps[at]?.code() })
    expect((await confirm(0)).status).toBe(200)
    expect(locationOf(await confirm(1))).toBe(`${origin}/auth/account`)
    later()
    const one = world.browser()
    await one.signIn('one', 'ada')
    await one.submit('/auth/factor', { code: apps[1]?.code() })
    expect(await one.session()).toBeNull()
    await one.submit('/auth/factor', { code: apps[0]?.code() })
    expect(await one.session()).not.toBeNull()
  })

  it('under parallel confirmations exactly one shows codes', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
    const csrfToken = await ada.csrfToken()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        ada.post('/auth/factor/setup', { csrfToken, code: app.code() }),
      ),
    )
    const shown = await Promise.all(answers.map(async (one) => recoveryCodesOn(await one.text())))
    expect(shown.filter((codes) => codes.length > 0)).toHaveLength(1)
  })

  it('by a sign-in that waits happens once: a copy of its browser gets no session and no codes', async () => {
    const world = people({ secondFactor: () => true })
    const ada = world.browser()
    await ada.signIn('one', 'ada')
    const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
    const csrfToken = await ada.csrfToken()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        world.copyOf(ada).post('/auth/factor/setup', { csrfToken, code: app.code() }),
      ),
    )
    expect(answers.filter(setsSession)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('by a sign-in that waits belongs to it: the key of a session in the same browser is another', async () => {
    let isDemanded = false
    const world = people({ secondFactor: () => isDemanded })
    const ada = await world.signIn('one', 'ada')
    const own = keyOn(await (await ada.get('/auth/factor/setup')).text())
    isDemanded = true
    await ada.signIn('two', 'bob')
    const page = await (await ada.get('/auth/factor/setup')).text()
    expect(page).toContain('bob at two')
    expect(keyOn(page)).not.toBe(own)
    const session = await (await ada.get('/auth/factor/setup?flow=session')).text()
    expect(session).toContain('ada at one')
    expect(keyOn(session)).toBe(own)
  })

  it.each([
    [
      'signed out everywhere',
      async ({ submit }: { submit: (path: string, fields: object) => Promise<unknown> }) =>
        submit('/auth/sessions/revoke', { session: 'all' }),
    ],
    [
      'been erased',
      async ({ submit }: { submit: (path: string, fields: object) => Promise<unknown> }) =>
        submit('/auth/account/delete', {}),
    ],
  ])('attack: a sign-in that waits sets a factor up after its person has %s', async (_, end) => {
    let isDemanded = false
    const world = people({ secondFactor: () => isDemanded, accountDeletion: true })
    const ada = await world.signIn('one', 'ada')
    isDemanded = true
    const thief = world.browser()
    await thief.signIn('one', 'ada')
    const app = new AuthenticatorApp(keyOn(await (await thief.get('/auth/factor/setup')).text()))
    await end({ submit: (path, fields) => ada.submit(path, fields) })
    const answer = await thief.submit('/auth/factor/setup', { code: app.code() })
    expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
    isDemanded = false
    // A sign-in later than that second.
    pass(2)
    expect(await isAsked(world, 'one', 'ada')).toBe(false)
    expect((await (await world.signIn('one', 'ada')).session())?.user).toBeDefined()
  })
})

describe('POST /factor/recovery', () => {
  it('shows ten new codes and ends the earlier ones', async () => {
    const world = people()
    const ada = await world.signIn('email', 'ada@mail.example')
    const { codes } = await setUpFactor(ada)
    world.mails.length = 0
    const answer = await ada.submit('/auth/factor/recovery')
    const fresh = recoveryCodesOn(await answer.text())
    expect([answer.status, fresh.length]).toEqual([200, 10])
    expect(fresh.filter((code) => codes.includes(code))).toEqual([])
    expect(world.mails.map(({ mail }) => mail.subject)).toEqual(['You have new recovery codes'])
    for (const [code, isRight] of [
      [codes[0], false],
      [fresh[0], true],
    ] as const) {
      const one = world.browser()
      await world.signIn('email', 'ada@mail.example', one)
      await one.submit('/auth/factor', { code })
      expect((await one.session()) !== null).toBe(isRight)
    }
  })

  it('shows nothing to a person without a factor', async () => {
    const { signIn } = people()
    const answer = await (await signIn('one', 'ada')).submit('/auth/factor/recovery')
    expect(locationOf(answer)).toBe(`${origin}/auth/account`)
  })
})

describe('POST /factor/remove', () => {
  it('ends it: nothing is asked for, no code is left, and the person gets a mail', async () => {
    const world = people()
    const ada = await world.signIn('email', 'ada@mail.example')
    await setUpFactor(ada)
    world.mails.length = 0
    const answer = await ada.submit('/auth/factor/remove', { callbackUrl: '/done' })
    expect(locationOf(answer)).toBe(`${origin}/done`)
    expect(world.mails.map(({ mail }) => mail.subject)).toEqual([
      'Your account no longer asks for a second factor',
    ])
    expect(world.lines.at(-1)).toMatchObject({ event: 'factor-removed', by: 'person' })
    expect(await isAsked(world, 'email', 'ada@mail.example')).toBe(false)
    // A second time changes nothing, and sends no mail.
    expect(locationOf(await ada.submit('/auth/factor/remove'))).toBe(`${origin}/auth/account`)
    expect(world.mails).toHaveLength(2)
  })

  it('attack: a deleted factor comes back by a late write: its code is right in a request that goes on', async () => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    later()
    const other = world.browser()
    await other.signIn('one', 'ada')
    const csrfToken = await other.csrfToken()
    // Between the reading of the person and the write that uses the code up.
    let isLate = false
    const write = world.inner.ledger.changeDocument
    world.faults.set('changeDocument', async (...given) => {
      world.faults.delete('changeDocument')
      isLate = true
      await ada.submit('/auth/factor/remove')
      return write?.(...(given as Parameters<NonNullable<typeof write>>))
    })
    const answer = await other.post('/auth/factor', { csrfToken, code: app.code() })
    expect(isLate).toBe(true)
    expect(errorOf(answer)).toBe('/auth/factor CredentialsSignin wrong_code')
    expect(await other.session()).toBeNull()
    expect(await isAsked(world, 'one', 'ada')).toBe(false)
    const again = await other.submit('/auth/factor', { code: app.code(1) })
    expect(errorOf(again)).toBe('/auth/signin InvalidCheck')
  })

  it.each(['recovery', 'remove'])(
    'attack: a fresh session from before the set-up, perhaps a thief’s, posts /factor/%s',
    async (path) => {
      const world = people()
      const thief = await world.signIn('one', 'ada')
      const ada = await world.signIn('one', 'ada')
      const { app } = await setUpFactor(ada)
      const answer = await thief.submit(`/auth/factor/${path}`)
      expect(locationOf(answer)).toMatch(/\/auth\/signin\?maxAge=300/)
      expect(await isAsked(world, 'one', 'ada')).toBe(true)
      later()
      await thief.signIn('one', 'ada')
      await thief.submit('/auth/factor', { code: app.code() })
      expect((await thief.submit(`/auth/factor/${path}`)).status).toBe(
        path === 'remove' ? 302 : 200,
      )
    },
  )

  it.each(['recovery', 'remove'])(
    'attack: a copy of the cookie of the session that set it up, from before, posts /factor/%s',
    async (path) => {
      const world = people()
      const ada = await world.signIn('one', 'ada')
      const thief = world.copyOf(ada)
      await setUpFactor(ada)
      expect(locationOf(await thief.submit(`/auth/factor/${path}`))).toMatch(
        '/auth/signin?maxAge=300',
      )
      expect(await isAsked(world, 'one', 'ada')).toBe(true)
    },
  )

  it.each(['recovery', 'remove'])('/factor/%s needs a fresh sign-in', async (path) => {
    const world = people()
    const ada = await world.signIn('one', 'ada')
    await setUpFactor(ada)
    pass(301)
    const answer = await ada.submit(`/auth/factor/${path}`)
    expect(locationOf(answer)).toBe(FRESH + encodeURIComponent(`${origin}/auth/account`))
    const json = await ada.submit(`/auth/factor/${path}`, {}, { 'x-auth-return-redirect': '1' })
    expect([json.status, await json.json()]).toEqual([
      401,
      expect.objectContaining({ error: 'FreshSignInRequired', maxAge: 300 }),
    ])
    expect(await isAsked(world, 'one', 'ada')).toBe(true)
  })
})

it('the page of the account says which it is, and how many codes are left', async () => {
  const world = people()
  const ada = await world.signIn('one', 'ada')
  const page = async () => (await ada.get('/auth/account')).text()
  expect(await page()).toContain('href="/auth/factor/setup?flow=session"')
  const { codes } = await setUpFactor(ada)
  expect(await page()).toContain('10 recovery codes are left')
  const other = world.browser()
  await other.signIn('one', 'ada')
  await other.submit('/auth/factor', { code: codes[0] })
  expect(await page()).toContain('9 recovery codes are left')
  expect(await page()).not.toContain('/auth/factor/setup')
})

it.each([
  ['/auth/factor', 'GET, HEAD, POST'],
  ['/auth/factor/setup', 'GET, HEAD, POST'],
  ['/auth/factor/recovery', 'POST'],
  ['/auth/factor/remove', 'POST'],
])('other methods of %s are 405', async (path, allow) => {
  const { browser } = people()
  const answer = await browser().send(path, { method: 'DELETE' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
})
