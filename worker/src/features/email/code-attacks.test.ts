import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import {
  type Browser,
  copyOf,
  errorOf,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { mailProvider, withMail, wrong } from '../../test-support/email.js'
import type { VerificationRequest } from '../../types.js'

clock({ timers: true })

const again = '/auth/signin InvalidCheck'
const isWrong = '/auth/verify-request Verification wrong_code'
const type = (browser: Browser, fields: Record<string, string>, provider = 'email') =>
  browser.submit(`/auth/callback/${provider}`, fields)
const typeJson = async (browser: Browser, fields: Record<string, unknown>) =>
  browser.send('/auth/callback/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csrfToken: await browser.csrfToken(), ...fields }),
  })

describe('a code belongs to the browser that asked for it', () => {
  it('another browser with the code and the id of the flow is refused', async () => {
    const { ask, browser } = withMail()
    const { flow, code } = await ask()
    const eve = browser()
    expect(errorOf(await type(eve, { flow, code }))).toBe(again)
    const page = await (await eve.get(`/auth/verify-request?provider=email&flow=${flow}`)).text()
    expect(page).not.toContain('ada@example.com')
    expect(page).not.toContain('name="code"')
    expect(await eve.session()).toBeNull()
  })

  it('the victim’s code in a flow that the attacker has for the same address is wrong', async () => {
    const { ask, browser } = withMail()
    const eve = await ask('ada@example.com', browser())
    const victim = await ask('ada@example.com', browser())
    expect(errorOf(await type(eve.browser, { flow: eve.flow, code: victim.code }))).toBe(isWrong)
    expect(errorOf(await type(eve.browser, { flow: victim.flow, code: victim.code }))).toBe(again)
    expect(locationOf(await type(victim.browser, { flow: victim.flow, code: victim.code }))).toBe(
      `${origin}/inbox`,
    )
  })

  it('the attacker’s own code signs in the attacker only', async () => {
    const { ask, browser } = withMail()
    const where = browser()
    const victim = await ask('ada@example.com', where)
    const own = await ask('eve@example.com', where)
    expect(errorOf(await type(where, { flow: victim.flow, code: own.code }))).toBe(isWrong)
    await type(where, { flow: own.flow, code: own.code })
    expect((await where.session())?.user?.email).toBe('eve@example.com')
  })

  it('fields that name another address change nothing', async () => {
    const { ask } = withMail()
    await ask('ada@example.com')
    const { browser, flow, code } = await ask('eve@example.com')
    await type(browser, { flow, code, email: 'ada@example.com', identifier: 'ada@example.com' })
    expect((await browser.session())?.user?.email).toBe('eve@example.com')
  })

  it('at another provider its flow is unknown', async () => {
    const mails: VerificationRequest[] = []
    const providers = [mailProvider(mails), mailProvider(mails, { id: 'staff', name: 'Staff' })]
    const { ask, browser } = withMail({}, { providers })
    const where = browser()
    const { flow } = await ask('ada@example.com', where)
    const code = mails[0]?.code ?? ''
    expect(errorOf(await type(where, { flow, code }, 'staff'))).toBe(again)
    const page = await where.get(`/auth/verify-request?provider=staff&flow=${flow}`)
    expect(await page.text()).not.toContain('ada@example.com')
    expect(locationOf(await type(where, { flow, code }))).toBe(`${origin}/inbox`)
  })

  it('under the name of another flow a cookie is unknown: a sibling host may toss its own', async () => {
    const { ask, browser } = withMail()
    const eve = await ask('eve@example.com')
    const victim = browser()
    const { flow } = await ask('ada@example.com', victim)
    victim.jar.set(`auth.flow.${flow}`, eve.browser.jar.get(`auth.flow.${eve.flow}`) ?? '')
    expect(errorOf(await type(victim, { flow, code: eve.code }))).toBe(again)
    expect(await victim.session()).toBeNull()
    const page = await victim.get(`/auth/verify-request?provider=email&flow=${flow}`)
    expect(await page.text()).not.toContain('eve@example.com')
  })

  it('at another mount with the same secret and ledger its flow is unknown', async () => {
    const { ask, store } = withMail()
    const { browser, flow, code } = await ask()
    const other = withMail({}, { store, basePath: '/other' })
    const there = copyOf(browser, other.config, { answer: other.answer })
    const { csrfToken } = await (await there.get('/other/csrf')).json<never>()
    const answer = await there.post('/other/callback/email', { csrfToken, flow, code })
    expect(locationOf(answer)).toMatch(/\/other\/signin\?error=InvalidCheck/)
  })
})

describe('an attacker’s requests beside the owner’s', () => {
  it('end the owner’s earlier mail, and the next mail signs in', async () => {
    const { ask, browser } = withMail()
    const owner = await ask('ada@example.com', browser())
    const eve = await ask('ada@example.com', browser())
    expect(errorOf(await owner.browser.get(owner.path))).toBe('/auth/error Verification')
    expect(errorOf(await type(owner.browser, { flow: owner.flow, code: owner.code }))).toBe(isWrong)
    // Only the owner gets the attacker's mail, and its link asks before it signs in.
    const page = await owner.browser.get(eve.path)
    expect(page.status).toBe(200)
    expect(await eve.browser.session()).toBeNull()
    const next = await ask('ada@example.com', owner.browser)
    expect(locationOf(await owner.browser.get(next.path))).toBe(`${origin}/inbox`)
  })

  it('a confirmation in the owner’s browser signs in there, and not the attacker', async () => {
    const { ask, browser } = withMail()
    const eve = await ask('ada@example.com', browser())
    const owner = browser()
    await owner.submit('/auth/callback/email', { token: eve.token })
    expect((await owner.session())?.user?.email).toBe('ada@example.com')
    expect(await eve.browser.session()).toBeNull()
    expect(setsSession(await type(eve.browser, { flow: eve.flow, code: eve.code }))).toBe(false)
  })

  it('a wrong code of the attacker does not change the owner’s link and code', async () => {
    const { ask, browser } = withMail()
    const eve = await ask('ada@example.com', browser())
    const owner = await ask('ada@example.com', browser())
    for (let guess = 0; guess < 4; guess++) {
      await type(eve.browser, { flow: eve.flow, code: wrong(owner.code, guess + 1) })
    }
    expect(locationOf(await type(owner.browser, { flow: owner.flow, code: owner.code }))).toBe(
      `${origin}/inbox`,
    )
  })

  it('five wrong codes end the code, never the link', async () => {
    const { ask, browser } = withMail()
    const eve = await ask('ada@example.com', browser())
    const owner = await ask('ada@example.com', browser())
    const said: string[] = []
    for (let guess = 1; guess <= 9; guess++) {
      said.push(
        errorOf(await type(eve.browser, { flow: eve.flow, code: wrong(owner.code, guess) })),
      )
    }
    const words = said.map((error) => error.split(' ')[2])
    expect(words).toEqual([...Array(4).fill('wrong_code'), ...Array(5).fill('spent_code')])
    const { flow, code } = owner
    const spent = await type(owner.browser, { flow, code })
    expect(errorOf(spent)).toBe('/auth/verify-request Verification spent_code')
    expect(locationOf(await owner.browser.get(owner.path))).toBe(`${origin}/inbox`)
  })
})

describe('the typed code', () => {
  it.each<[string, (code: string) => string]>([
    ['with a gap', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with a hyphen', (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ['with spaces around it', (code) => ` ${code}\n`],
    ['with a gap that does not break', (code) => `${code.slice(0, 3)}\u00a0${code.slice(3)}`],
  ])('%s is accepted as the code', async (_, spell) => {
    const { ask } = withMail()
    const { browser, flow, code } = await ask()
    expect(locationOf(await type(browser, { flow, code: spell(code) }))).toBe(`${origin}/inbox`)
  })

  it.each<[string, (code: string) => unknown]>([
    ['nothing', () => ''],
    ['five of its digits', (code) => code.slice(1)],
    ['seven digits', (code) => `0${code}`],
    ['wide digits', (code) => code.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + +digit))],
    [
      'Arabic digits',
      (code) => code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + +digit)),
    ],
    ['a sign before it', (code) => `+${code}`],
    ['a decimal', (code) => `${code}.0`],
    ['a number', (code) => Number(code)],
    ['an array', (code) => [code]],
    ['an array of digits', (code) => [...code]],
    ['an object', (code) => ({ $eq: code })],
    ['an object that is not text', () => ({ toString: 1 })],
    ['true', () => true],
    ['null', () => null],
    ['__proto__', () => '__proto__'],
    ['sixty thousand digits', () => '1'.repeat(60_000)],
    ['NUL after it', (code) => `${code}\u0000`],
    ['a lone surrogate', () => '\ud800'],
  ])('%s is a wrong code, not a failure', async (_, spell) => {
    const { ask, errors } = withMail()
    const { browser, flow, code } = await ask()
    const answer = await typeJson(browser, { flow, code: spell(code) })
    expect(errorOf(answer)).toBe(isWrong)
    expect(errors.map(({ name }) => name)).toEqual(['Verification'])
    expect(locationOf(await type(browser, { flow, code }))).toBe(`${origin}/inbox`)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['another text', 'x'],
    ['an array', ['x']],
    ['an object', {}],
    ['a number', 1],
    ['__proto__', '__proto__'],
    ['a path', '../../x'],
    ['the cookie’s name', 'auth.flow.x'],
    ['sixty thousand letters', 'a'.repeat(60_000)],
  ])('the flow %s is unknown', async (_, flow) => {
    const { ask } = withMail()
    const { browser, code } = await ask()
    expect(errorOf(await typeJson(browser, { flow, code }))).toBe(again)
  })

  it('a token that is not a string is ignored', async () => {
    const { ask } = withMail()
    const { browser, token } = await ask()
    for (const given of [[token], { token }, 1, true]) {
      expect(errorOf(await typeJson(browser, { token: given }))).toBe(again)
    }
    expect(await browser.session()).toBeNull()
  })

  it('a JSON member __proto__ sets no fields', async () => {
    const { ask } = withMail()
    const { browser, flow, code } = await ask()
    const csrfToken = await browser.csrfToken()
    const answer = await browser.send('/auth/callback/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"csrfToken":"${csrfToken}","__proto__":{"flow":"${flow}","code":"${code}"}}`,
    })
    expect(errorOf(answer)).toBe(again)
  })

  it('a code from another site, or without the csrf token, is not tried', async () => {
    const { ask, store } = withMail()
    const { browser, flow, code } = await ask()
    const redeem = vi.spyOn(store.ledger, 'redeemVerification')
    const admit = vi.spyOn(store.ledger, 'admit')
    const headers = { origin: 'https://evil.example' }
    const foreign = await browser.submit('/auth/callback/email', { flow, code }, headers)
    const bare = await browser.post('/auth/callback/email', { flow, code })
    expect([errorOf(foreign), errorOf(bare)]).toEqual(Array(2).fill('/auth/signin MissingCSRF'))
    expect(redeem).not.toHaveBeenCalled()
    expect(admit).not.toHaveBeenCalled()
  })

  it('no code is taken from the query, since logs keep queries', async () => {
    const { ask } = withMail()
    const { browser, flow, code } = await ask()
    const query = new URLSearchParams({ flow, code })
    expect(errorOf(await browser.get(`/auth/callback/email?${query}`))).toBe(
      '/auth/error Verification',
    )
    expect(errorOf(await type(browser, { flow }))).toBe(isWrong)
    const posted = await browser.submit(`/auth/callback/email?${query}`)
    expect(errorOf(posted)).toBe(again)
  })
})
