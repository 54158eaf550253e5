import { describe, expect, it } from 'vitest'
import { Browser, configWith, errorOf, setsSession } from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import type { LogEvent } from '../../types.js'

const refuse = (browser: Browser, token: string, fields = {}) =>
  browser.submit('/auth/callback/email', { token, refuse: '1', ...fields })

describe('“That was not me”', () => {
  it('ends the link and the code of its mail, and signs no user in', async () => {
    const events: LogEvent[] = []
    const { ask, browser } = withMail({}, { logger: { info: (event) => void events.push(event) } })
    const asked = await ask()
    const phone = browser()
    expect(await (await phone.get(asked.path)).text()).toContain('That was not me')
    const answer = await refuse(phone, asked.token)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('The link is canceled')
    expect(setsSession(answer)).toBe(false)
    expect((await phone.get(asked.path)).status).toBe(302)
    expect(errorOf(await phone.submit('/auth/callback/email', { token: asked.token }))).toBe(
      '/auth/error Verification',
    )
    const { flow, code } = asked
    expect(errorOf(await asked.browser.submit('/auth/callback/email', { flow, code }))).toBe(
      '/auth/verify-request Verification wrong_code',
    )
    expect(await asked.browser.session()).toBeNull()
    expect(events[0]).toMatchObject({ event: 'sign-in-refused', provider: 'email', by: 'person' })
    expect(JSON.stringify(events)).not.toContain('ada@')
  })

  it('tells a stranger nothing: a made-up link is answered as a good one, and no line is written', async () => {
    const events: LogEvent[] = []
    const { ask, browser } = withMail({}, { logger: { info: (event) => void events.push(event) } })
    const { token } = await ask()
    const pages: string[] = []
    for (const one of [token, token, token.replace(/.{4}$/, 'aaaa'), 'x', '']) {
      const answer = await refuse(browser(), one)
      expect(answer.status).toBe(one === '' ? answer.status : 200)
      pages.push((await answer.text()).replace(/value="[^"]*"/g, ''))
    }
    expect(new Set(pages).size).toBe(1)
    expect(events).toHaveLength(1)
  })

  it('ends no other mail: not the next one of the same address, nor another person’s', async () => {
    const { ask, browser } = withMail()
    const first = await ask('ada@example.com')
    const second = await ask('ada@example.com')
    const grace = await ask('grace@example.com')
    await refuse(browser(), first.token)
    // With its beginning, and the rest of another one.
    await refuse(browser(), grace.token.slice(0, 23) + second.token.slice(23))
    await second.browser.get(second.path)
    expect(await second.browser.session()).toMatchObject({ user: { email: 'ada@example.com' } })
    await grace.browser.get(grace.path)
    expect(await grace.browser.session()).toMatchObject({ user: { email: 'grace@example.com' } })
  })

  it('csrf: without the token of the browser, or from elsewhere, it ends nothing', async () => {
    const { ask, browser } = withMail()
    const { token, path, browser: own } = await ask()
    const fields = { token, refuse: '1' }
    expect(errorOf(await browser().post('/auth/callback/email', fields))).toContain('MissingCSRF')
    const elsewhere = { origin: 'https://evil.example' }
    const forged = await browser().submit('/auth/callback/email', fields, elsewhere)
    expect(errorOf(forged)).toContain('MissingCSRF')
    await browser().get(`${path}&refuse=1`)
    await own.get(path)
    expect(await own.session()).not.toBeNull()
  })

  it('lost refusal: of a page that is older than the session it does not look as if it had ended the link', async () => {
    const { ask, browser } = withMail()
    const { token, path } = await ask('ada@example.com')
    const phone = browser()
    const csrfToken = await phone.csrfToken()
    await phone.get((await ask('eve@example.com', phone)).path)
    const fields = { csrfToken, token, refuse: '1', callbackUrl: '/inbox' }
    const answer = await phone.post('/auth/callback/email', fields)
    expect(errorOf(answer)).toBe('/auth/signin MissingCSRF')
    expect((await refuse(phone, token)).status).toBe(200)
    expect(errorOf(await browser().get(path))).toBe('/auth/error Verification')
  })

  it('for a signed-in person changes nothing', async () => {
    const { ask } = withMail()
    const ada = await ask('ada@example.com')
    await ada.browser.get(ada.path)
    const eve = await ask('eve@example.com')
    const answer = await refuse(ada.browser, eve.token)
    expect(await answer.text()).toContain('The link is canceled')
    expect(await ada.browser.session()).toMatchObject({ user: { email: 'ada@example.com' } })
  })
})

it('the way back is that of the app that asked, on a trusted origin of its own', async () => {
  const app = 'https://app.example'
  const config = configWith({ trustedOrigins: [app] })
  const browser = new Browser(config, { at: 'https://auth.example' })
  const target = encodeURIComponent(`${app}/inbox`)
  const page = await (await browser.get(`/auth/signin?callbackUrl=${target}`)).text()
  expect(page).toContain(`<a href="${app}/">Back to <bdi>app.example</bdi>`)
  const evil = encodeURIComponent('https://evil.example/')
  const other = await (await browser.get(`/auth/signin?callbackUrl=${evil}`)).text()
  expect(other).toContain('Back to <bdi>auth.example</bdi>')
})
