import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { BindingBrowser, COOKIE, thiefOf } from '../../test-support/binding-browser.js'
import { locationOf } from '../../test-support/browser.js'
import { authorizePath, OPTIONS } from '../../test-support/oauth-people.js'
import { withPasswords } from '../../test-support/with-passwords.js'
import { authorizationServer } from '../authorization-server/index.js'
import { passwords } from '../passwords/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) })

/** The routes of the service that browsers call, by the document about them. */
const document = JSON.parse(readFileSync('worker/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, unknown>>
}
const ofBrowsers = Object.entries(document.paths).filter(
  ([path]) => !/^\/(?:\.well-known|operator|bound|import|backchannel|oauth\/)/.test(path),
)
const pathsWith = (method: string) =>
  ofBrowsers.flatMap(([path, methods]) =>
    method in methods ? path.replace('{provider}', 'one') : [],
  )

/** Pages, which the document leaves out. */
const PAGES = [
  ...['/account', '/account/keys', '/account/apps', '/account/devices', '/account/security'],
  ...['/account/ways', '/signin', '/signin?maxAge=5', '/signin?bound=1', '/signin?acr=2'],
  ...['/renew?callbackUrl=/', '/session?online=1', '/device', '/factor', '/factor/setup'],
  ...['/account/password', '/account/delete', '/verify-request'],
]
/** A sign-out ends the session of any token: that it has to be asked about would cost each sign-out a call. */
const SIGN_OUT = '/signout'

function world() {
  const apps = { ...OPTIONS.apps, tv: { name: 'Telly', device: true } }
  const server = authorizationServer({ ...OPTIONS, apps, keys: { prefix: 'acme' } } as never)
  const made = withPasswords({}, { boundSessions: true, features: [passwords, server] })
  const browser = () => new BindingBrowser(made.config)
  return { ...made, browser }
}

/** Sealed and random values are others each time. */
const known = (text: string) => text.replace(/[\w.-]{20,}/g, '…').replace(/reference=[A-Z-]+/, '')

const seen = async (answer: Response) => {
  const type = answer.headers.get('content-type') ?? ''
  const where = known(locationOf(answer))
  const cookies = answer.headers.getSetCookie().filter((line) => line.startsWith(COOKIE))
  const text = await answer.text()
  const body = /json/.test(type) ? known(text) : text.includes('ada')
  return { status: answer.status, where, cookies, body }
}

it.each([
  ['the cookie of the first second, after the first proof', true],
  ['a copied cookie', false],
])(
  'attack: with %s each route answers as to nobody, once its token has ended',
  async (_, isFirst) => {
    const { browser } = world()
    const ada = browser()
    const offered = await ada.signIn('one', 'ada')
    const first = thiefOf(ada)
    await ada.register(offered)
    const thief = isFirst ? first : thiefOf(ada)
    await ada.renew()
    const before = await (await ada.get('/auth/ways')).json()
    pass(24 * 60 * 60)
    const stranger = browser()
    const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }
    const gets = [
      ...[...pathsWith('get'), ...PAGES].map((path) => `/auth${path}`),
      authorizePath(own),
      authorizePath({ ...own, prompt: 'none' }),
    ]
    for (const path of gets) {
      const headers = { accept: 'text/html' }
      const [one, other] = [await thief.get(path, headers), await stranger.get(path, headers)]
      expect([path, await seen(one)]).toEqual([path, await seen(other)])
    }
    const fields = {
      ...{ session: 'all', provider: 'two', way: 'x', key: 'x', app: 'own', name: 'x', data: 'x' },
      ...{ password: 'a long enough phrase', code: '123456', purpose: 'add', scope: 'notes:read' },
    }
    for (const path of pathsWith('post').filter((one) => one !== SIGN_OUT)) {
      for (const headers of [{}, { 'x-auth-return-redirect': '1' }]) {
        const [one, other] = [
          await thief.submit(`/auth${path}`, fields, headers),
          await stranger.submit(`/auth${path}`, fields, headers),
        ]
        expect([path, headers, await seen(one)]).toEqual([path, headers, await seen(other)])
      }
    }
    expect((await ada.renew()).status).toBe(403)
    expect((await ada.renew()).status).toBe(200)
    // Of the one who has the key each of them knows more.
    for (const path of ['/auth/sessions', '/auth/ways', '/auth/keys', '/auth/apps']) {
      expect([path, (await ada.get(path)).status]).toEqual([path, 200])
    }
    expect(await (await ada.get('/auth/ways')).json()).toEqual(before)
  },
)
