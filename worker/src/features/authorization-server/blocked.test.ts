import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, claimsIn } from '../../test-support/browser.js'
import { issuer } from '../../test-support/oauth.js'
import { OPTIONS, oauthPeople, requestOn } from '../../test-support/oauth-people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const KEY = { name: 'CI', scopes: ['notes:read'] }
const SCOPE = { scope: 'openid notes:read offline_access' }

/** A person who has everything by which an app or a program gets tokens. */
async function withEverything() {
  const apps = { ...OPTIONS.apps, tv: { name: 'Telly', device: true } }
  const made = oauthPeople({ ...OPTIONS, apps, keys: { prefix: 'acme' } })
  const auth = createAuth(made.config)
  const ada = await made.signIn('one', 'ada')
  const { sub } = claimsIn(ada)
  const send = async (path: string, fields: Record<string, string>, headers = {}) => {
    const init = { method: 'POST', body: new URLSearchParams(fields), headers }
    const response = await made.browser().answer(new Request(issuer + path, init))
    const told = (await response.json()) as { device_code?: string; user_code?: string }
    return { ...told, status: response.status }
  }
  const token = (fields: Record<string, string>) => send('/oauth/token', fields)
  const device = async () => {
    const { device_code = '', user_code = '' } = await send('/oauth/device', {
      client_id: 'tv',
      scope: 'openid notes:read',
    })
    const page = await ada.submit('/auth/device', { user_code })
    await ada.submit('/auth/oauth/consent', {
      request: requestOn(await page.text()),
      decision: 'allow',
    })
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    return () => token({ grant_type, client_id: 'tv', device_code })
  }
  const { code } = await made.letIn(ada, SCOPE)
  const granted = await made.exchange(code)
  const inSession = await made.exchange((await made.letIn(ada)).code)
  const { key } = await auth.createKey(sub, KEY, {})
  const exchange = (subject_token: string) =>
    token({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token,
      subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
    })
  const refresh = (refresh_token = '') =>
    token({ grant_type: 'refresh_token', client_id: 'notes', refresh_token })
  const { code: late } = await made.letIn(ada, SCOPE)
  const poll = await device()
  const asks: Readonly<Record<string, () => Promise<{ readonly status: number }>>> = {
    'a refresh token of an app that works offline': () => refresh(granted.refresh_token),
    'a refresh token of a session': () => refresh(inSession.refresh_token),
    'a code': () => made.exchange(late),
    'a device that waits': poll,
    'an API key': () => exchange(key),
    UserInfo: async () => {
      const headers = { authorization: `Bearer ${granted.access_token}` }
      return made.browser().answer(new Request(`${issuer}/oauth/userinfo`, { headers }))
    },
    'another app': async () => {
      const page = await new Browser(made.config, { answer: ada.answer }).send(
        '/auth/oauth/authorize?client_id=own',
        { headers: { cookie: ada.cookie } },
      )
      return { status: page.headers.get('location')?.includes('code=') ? 200 : 401 }
    },
  }
  return { auth, sub, asks, exchange, made }
}

it('attack: a blocked person gets no token by what they had, nor by it after the block', async () => {
  const { auth, sub, asks, exchange } = await withEverything()
  await auth.blockPerson({ sub }, {})
  pass(1)
  for (const when of ['blocked', 'free again']) {
    for (const [name, ask] of Object.entries(asks)) {
      expect((await ask()).status, `${name}, ${when}`).toBeGreaterThanOrEqual(400)
    }
    if (when === 'blocked') {
      await expect(auth.createKey(sub, KEY, {})).rejects.toMatchObject({
        type: 'AccessDenied',
        code: 'blocked',
      })
      expect(await auth.listKeys(sub, {})).toEqual([])
      await auth.unblockPerson(sub, {})
      pass(1)
    }
  }
  const { key } = await auth.createKey(sub, KEY, {})
  expect((await exchange(key)).status).toBe(200)
})

it('tokens, keys and codes of another person still work', async () => {
  const { auth, asks } = await withEverything()
  await auth.blockPerson({ sub: 'another' }, {})
  for (const [name, ask] of Object.entries(asks)) {
    if (name === 'another app') continue
    expect((await ask()).status, name).toBe(200)
  }
})
