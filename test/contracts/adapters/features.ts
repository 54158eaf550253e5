import { operate } from '@latchkey/worker/features/operate'
import credentials from '@latchkey/worker/providers/credentials'
import { describe, expect, test, vi } from 'vitest'
import { newOperatorKey } from '../../support/operator-key.ts'
import { type Adapter, BASE, Browser, binding, type Config, inProcess, over } from './app.ts'

const night = newOperatorKey('night', 'read')
const features = [operate()]

/** A call of the operator API. */
async function told(browser: Browser, method: string, key?: string): Promise<[number, string]> {
  const headers = new Headers({ 'content-type': 'application/json' })
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  const init = { method: 'POST', body: '{"sub":"ada"}', headers }
  const answer = await browser.go(`${BASE}/operator/${method}`, init)
  return [answer.status, await answer.text()]
}

/** A form with fields of the app's own. */
const providers = [
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: () => null,
  }),
]

const forms: readonly (readonly [name: string, config: () => Config])[] = [
  ['in process', () => inProcess({ providers })],
  ['bound', () => over(binding({ providers }).fetch)],
]

/** What holds of capabilities in an app with any adapter. */
export function featuresContract(name: string, adapter: Adapter): void {
  describe(`${name}: the operator API`, () => {
    test('is there if the service runs in the app', async () => {
      vi.stubEnv('AUTH_OPERATOR_KEYS', night.entry)
      const browser = new Browser(await adapter.start(inProcess({ features })))
      const answers = [
        await told(browser, 'listWays', night.key),
        await told(browser, 'listWays'),
        await told(browser, 'deletePerson', night.key),
        await told(browser, 'nothing', night.key),
      ]
      expect(answers.map(([status, text]) => [status, JSON.parse(text)])).toEqual([
        [200, { result: [] }],
        [401, { error: 'OperatorKeyRequired' }],
        [403, { error: 'ScopeRequired', scope: 'manage' }],
        [404, { error: 'NotFound' }],
      ])
    })

    test('attack: an app that forwards passes its paths on', async () => {
      vi.stubEnv('AUTH_OPERATOR_KEYS', night.entry)
      const asked: string[] = []
      const config = over(binding({ features }, asked).fetch)
      const browser = new Browser(await adapter.start(config))
      for (const method of ['listWays', 'nothing']) {
        const [status, text] = await told(browser, method, night.key)
        expect([status, text.includes('NotFound')]).toEqual([404, false])
      }
      await browser.csrfToken()
      expect(asked).toEqual([`${BASE}/csrf`])
    })
  })

  test.each(forms)(
    `${name}, %s: a wrong password keeps the name that was typed, and nothing else`,
    async (_, config) => {
      const browser = new Browser(await adapter.start(config()))
      const fields = { username: 'ada+new', password: 'wrong-secret' }
      const refused = await browser.post('/callback/credentials', fields)
      const { pathname, search } = new URL(refused.headers.get('location') ?? '')
      expect(search).not.toContain('ada')
      const page = await (await browser.go(pathname + search)).text()
      expect(page).toContain('value="ada+new"')
      expect(page).not.toContain('wrong-secret')
    },
  )
}
