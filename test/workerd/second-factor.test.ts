import { expect, test } from 'vitest'
import { AuthenticatorApp, keyOn, recoveryCodesOn } from '../support/authenticator-app.ts'
import { Browser, location, type Service, service } from './support.ts'

async function entered(of: Service, username: string): Promise<[Browser, Response]> {
  const browser = new Browser(of)
  const fields = { username, password: 'open sesame', callbackUrl: '/inbox' }
  return [browser, await browser.post('/auth/callback/credentials', fields)]
}

/** Sets a factor up for a signed-in user. */
async function setUp(browser: Browser) {
  const app = new AuthenticatorApp(keyOn(await (await browser.go('/auth/factor/setup')).text()))
  // From the step before, so that the current code is still unused.
  const answer = await browser.post('/auth/factor/setup', { code: app.code(-1) })
  return { app, codes: recoveryCodesOn(await answer.text()) }
}

test.each([1, 4])(
  'at the real object (%i of them) a second factor is asked for, and each code works once under 200 parallel tries',
  async (ledgerShards) => {
    const unlimited: object = { RATE_LIMIT: { limit: async () => ({ success: true }) } }
    const of = service({ ledgerShards }, unlimited)
    const name = `grace-${ledgerShards}`
    const [grace] = await entered(of, name)
    const { app, codes } = await setUp(grace)
    expect(codes).toHaveLength(10)
    for (const code of [app.code(), codes[0] ?? '']) {
      const waiting: { browser: Browser; csrfToken: string }[] = []
      // As many as a person may try in an hour are judged.
      for (let at = 0; at < 20; at++) {
        const [browser, first] = await entered(of, name)
        expect(location(first).pathname).toBe('/auth/factor')
        const { csrfToken } = await (await browser.go('/auth/csrf')).json<{ csrfToken: string }>()
        waiting.push({ browser, csrfToken })
      }
      const tries = Array.from({ length: 200 }, (_, at) => {
        const { browser, csrfToken } = waiting[at % waiting.length] as (typeof waiting)[number]
        const body = new URLSearchParams({ csrfToken, code })
        const headers = { 'cf-connecting-ip': `203.0.113.${at}` }
        return browser.go('/auth/factor', { method: 'POST', body, headers })
      })
      const answers = await Promise.all(tries)
      const begun = answers.filter((answer) =>
        answer.headers.getSetCookie().some((line) => /^auth\.session-token=[^;]/.test(line)),
      )
      expect(begun).toHaveLength(1)
    }
    await of.auth.resetFactors(grace.claims.sub, of.env)
    const [, direct] = await entered(of, name)
    expect(location(direct).pathname).toBe('/inbox')
    await of.auth.deletePerson(grace.claims.sub, of.env)
  },
  60_000,
)
