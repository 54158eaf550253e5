import { ROUTES } from '@latchkey/host/shared'
import { describe, expect, test } from 'vitest'
import { siteverify } from '../../../../test/support/siteverify.js'
import { customFetch } from '../../lib/symbols.js'
import credentials from '../../providers/credentials.js'
import fromHono from '../../providers/from-hono.js'
import oidc from '../../providers/oidc.js'
import passkey from '../../providers/passkey.js'
import password from '../../providers/password.js'
import { type Browser, fakeProvider } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { withTurnstile } from '../../test-support/with-turnstile.js'
import type { Provider } from '../../types.js'
import { passwords } from '../passwords/index.js'

const turnstile = siteverify()

/** One of each kind of sign-in, and some under ids of their own. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  oauth: fakeProvider(),
  oidc: oidc({
    id: 'company',
    issuer: 'https://id.example',
    clientId: 'id',
    clientSecret: 'secret',
    [customFetch]: async () => new Response(null, { status: 500 }),
  }),
  middleware: fromHono({
    id: 'middleware',
    name: 'Middleware',
    clientId: 'id',
    clientSecret: 'secret',
    middleware: () => async (c) => c.redirect('https://provider.example/authorize'),
  }),
  email: mailProvider([]),
  'email of another id': mailProvider([], { id: 'post', sendVerificationRequest: () => {} }),
  credentials: credentials({ authorize: () => null }),
  passkeys: passkey({ rpName: 'Example' }),
  'credentials of another id': credentials({ id: 'ldap', authorize: () => null }),
  'a password that is kept here': password({ email: 'email' }),
}

type Name = keyof typeof PROVIDERS

interface Row {
  /** The providers with which a POST needs a person; `all`: whatever the provider. */
  readonly covered: readonly Name[] | 'all'
  readonly because: string
}

const none = (because: string): Row => ({ covered: [], because })
const reads = none('It only reads: there is no POST.')
const MAILS = ['email', 'email of another id']
const KEPT = 'a password that is kept here'
const PASSWORDS = ['credentials', 'credentials of another id', KEPT]

type ServiceRoute = (typeof ROUTES)[number]

/** Every route of the service. A missing route fails, so that each is judged by a developer. */
const TABLE: Readonly<Record<ServiceRoute, Row>> = {
  '/signin/:provider': {
    covered: [...MAILS, KEPT],
    because: 'It sends a mail to an address that a stranger names. The others lead to a page.',
  },
  '/callback/:provider': {
    covered: [...MAILS, ...PASSWORDS],
    because: 'It tries a code or a password. The others bring what a provider has answered.',
  },
  '/ways/add': { covered: [...MAILS, KEPT], because: 'As /signin/:provider.' },
  '/passkey/options': {
    covered: ['sign-up'],
    because:
      'It begins an account. A sign-in guesses nothing, and a user who adds a passkey is signed in.',
  },
  '/ways/rename': none('It renames a passkey of the user who asks.'),
  '/ways/confirm': none('It confirms a way of the person who asks.'),
  '/factor/confirm': none('It confirms the app of the person who asks.'),
  '/factor': { covered: 'all', because: 'It tries a code of the second factor.' },
  '/factor/setup': none(
    'Its code is that of a key which the browser has: there is nothing to guess.',
  ),
  '/factor/recovery': none('It needs a fresh sign-in, and its mail goes to the user who asks.'),
  '/factor/remove': none('It needs a fresh sign-in, and its mail goes to the user who asks.'),
  '/password/set': none('It needs a session, and counts the tries of the current password.'),
  '/password/remove': none('It needs a session, and counts the tries of the current password.'),
  '/password': reads,
  '/account/password': reads,
  '/passkey/offer': reads,
  '/company/join': none(
    'It goes on with a sign-in that a company has proved; its mail goes to that address.',
  ),
  '/initiate/:provider': none('It leads to the provider of a company, and sends nothing.'),
  '/backchannel-logout/:provider': none('A program asks here, with a token that is signed.'),
  '/bound/register': none('A browser sends its own key, for a session that has begun.'),
  '/bound/refresh': none('A browser proves its own key. Nobody can guess one.'),
  '/session': none('It changes the session of the user who asks, and sends nothing.'),
  '/signout': none('It ends the session of the user who asks.'),
  '/sessions/revoke': none('It ends sessions of the user who asks.'),
  '/ways/remove': none('It needs a fresh sign-in, and its mail goes to the user who asks.'),
  '/account/delete': none('It needs a fresh sign-in, and its mail goes to the user who asks.'),
  '/import': none('It needs the secret, and is there for a few days alone.'),
  '/csrf': reads,
  '/health': reads,
  '/providers': reads,
  '/signin': reads,
  '/error': reads,
  '/verify-request': reads,
  '/jwks.json': reads,
  '/renew': reads,
  '/sessions': reads,
  '/revocations': reads,
  '/account': reads,
  '/account/sessions': reads,
  '/account/ways': reads,
  '/account/passkeys': reads,
  '/account/security': reads,
  '/ways': reads,
  '/.well-known/openid-configuration': reads,
  '/oauth/jwks.json': reads,
  '/apps': reads,
  '/keys': reads,
  '/account/apps': reads,
  '/account/keys': reads,
  '/oauth/authorize': none('Its parameters in a form lead to the same ones in the address.'),
  '/oauth/consent': none('It is the consent of the user who asks.'),
  '/oauth/token': none('Programs ask here. Nobody can guess their credentials.'),
  '/oauth/revoke': none('Programs ask here. Nobody can guess their credentials.'),
  '/oauth/device': none('A program asks for a code, and nothing is sent to a person.'),
  '/oauth/userinfo': none('Programs ask here. Nobody can guess their credentials.'),
  '/oauth/end-session': none('It ends the session of the user who asks.'),
  '/device': none('It needs a session, and counts wrong codes by network.'),
  '/apps/remove': none('It ends grants of the user who asks.'),
  '/keys/create': none('It needs a fresh sign-in.'),
  '/keys/remove': none('It ends a key of the user who asks.'),
}

/** What passkey options may be for. */
const CEREMONIES = ['sign-up', 'sign-in', 'add']

const cases = ROUTES.flatMap((route) => {
  const hasProvider = route.endsWith('/:provider') || route === '/ways/add'
  const isCeremony = route === '/passkey/options'
  const names = hasProvider ? Object.keys(PROVIDERS) : isCeremony ? CEREMONIES : ['']
  return names.map((name) => {
    const { covered } = TABLE[route] ?? {}
    const isCovered = covered === 'all' || covered?.includes(name) === true
    return { route, name, isCovered, is: isCovered ? 'needs a person' : 'needs none' }
  })
})

/** A browser whose person has signed in a moment ago, so that no route refuses it for that. */
async function signedIn(): Promise<Browser> {
  const { config, browser } = withTurnstile(turnstile)
  const own = browser()
  const fields = {
    username: 'ada',
    password: 'lovelace',
    'cf-turnstile-response': turnstile.issue(),
  }
  await own.submit('/auth/callback/credentials', fields)
  expect(await own.session()).not.toBeNull()
  const { browser: same } = withTurnstile(turnstile, {
    ...config,
    accountDeletion: true,
    providers: Object.values(PROVIDERS),
    features: [passwords],
  })
  const copy = same()
  for (const [name, value] of own.jar) copy.jar.set(name, value)
  turnstile.asked.length = 0
  return copy
}

async function post(route: ServiceRoute, name: string, more: Record<string, string> = {}) {
  const id = PROVIDERS[name]?.id ?? ''
  const fields = { email: 'bob@example.com', provider: id, for: name, ...more }
  const headers = { 'x-auth-return-redirect': '1' }
  const browser = await signedIn()
  const answer = await browser.submit(`/auth${route.replace(':provider', id)}`, fields, headers)
  const said = (await answer.json().catch(() => ({}))) as { error?: string; code?: string }
  return { status: answer.status, error: said.error, code: said.code }
}

test('every route is judged', () => {
  expect(Object.keys(TABLE).toSorted()).toEqual([...ROUTES].toSorted())
})

describe.each(cases)('POST $route, $name: $is', ({ route, name, isCovered }) => {
  test('without a response of Turnstile', async () => {
    const { status, error, code } = await post(route, name)
    expect(turnstile.asked).toEqual([])
    if (!isCovered) return expect(code).not.toBe('turnstile')
    expect([status, error, code]).toEqual([403, 'AccessDenied', 'turnstile'])
  })

  test('with a wrong one', async () => {
    const { status, error, code } = await post(route, name, { 'cf-turnstile-response': 'made-up' })
    expect(turnstile.asked).toHaveLength(isCovered ? 1 : 0)
    if (!isCovered) return expect(code).not.toBe('turnstile')
    expect([status, error, code]).toEqual([403, 'AccessDenied', 'turnstile'])
  })

  test('with a right one', async () => {
    const { code } = await post(route, name, { 'cf-turnstile-response': turnstile.issue() })
    expect(turnstile.asked).toHaveLength(isCovered ? 1 : 0)
    expect(code).not.toBe('turnstile')
  })
})
