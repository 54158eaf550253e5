import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import credentials from '../../providers/credentials.js'
import { type Browser, locationOf, origin } from '../../test-support/browser.js'
import {
  answerIn,
  authorizePath,
  backFrom,
  OPTIONS,
  oauthPeople,
  requestOn,
} from '../../test-support/oauth-people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }

/** The longest state that a request has room for, of letters that cannot be written shorter. */
function longState(): string {
  const [, query = ''] = authorizePath({ ...own, state: '' }).split('?')
  const length = 2_048 - query.length
  const letters = Array.from({ length: 50 }, (_, at) =>
    createHash('sha256').update(String(at)).digest('base64url'),
  )
  return letters.join('').slice(0, length)
}

const passwords = credentials({
  credentials: { username: {}, password: { type: 'password' } },
  authorize: ({ username }) => ({ id: String(username), name: String(username) }),
})

type World = ReturnType<typeof oauthPeople>

/** Sign-ins of each kind, from the sign-in page that a request led to. @returns where they end */
const KINDS: Readonly<Record<string, (world: World, one: Browser, to: string) => Promise<string>>> =
  {
    async OAuth(world, one, callbackUrl) {
      const start = await one.submit('/auth/signin/one', { callbackUrl })
      return locationOf(await world.comeBack(one, 'one', start, 'ada'))
    },
    async 'a mail’s link'(world, one, callbackUrl) {
      await one.submit('/auth/signin/email', { email: 'ada@mail.example', callbackUrl })
      return locationOf(await one.get(world.lastMail().path))
    },
    async 'a mail’s code'(world, one, callbackUrl) {
      const sent = await one.submit('/auth/signin/email', {
        email: 'ada@mail.example',
        callbackUrl,
      })
      const flow = new URL(locationOf(sent)).searchParams.get('flow') ?? ''
      const { mail } = world.lastMail()
      const fields = { flow, code: mail?.code ?? '' }
      return locationOf(await one.submit('/auth/callback/email', fields))
    },
    async 'a password'(_world, one, callbackUrl) {
      const fields = { username: 'ada', password: 'ada', callbackUrl }
      return locationOf(await one.submit('/auth/callback/credentials', fields))
    },
    async 'a passkey'(world, one, callbackUrl) {
      const authenticator = world.authenticator()
      await world.signUp(authenticator)
      const { publicKey } = await world.options(one, 'sign-in', { callbackUrl })
      const answer = await world.post(one, await authenticator.get(publicKey), { callbackUrl })
      return answer.url ?? ''
    },
    async 'a second factor'(world, one, callbackUrl) {
      const before = await world.signIn('one', 'ada')
      const { app } = await setUpFactor(before)
      pass(60)
      const start = await one.submit('/auth/signin/one', { callbackUrl })
      expect(locationOf(await world.comeBack(one, 'one', start, 'ada'))).toMatch(/\/auth\/factor$/)
      return locationOf(await one.submit('/auth/factor', { code: app.code() }))
    },
  }

const withPasswords = () => {
  const world = oauthPeople()
  const { providers = [] } = world.config
  Object.assign(world.config, { providers: [...providers, passwords] })
  return world
}

/** The cookies of a browser, as the bounds of the service have them. */
function expectBounds({ jar }: Browser): void {
  const sizes = [...jar].map(([name, value]) => name.length + value.length + 1)
  expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(4_096)
  expect(sizes.reduce((sum, size) => sum + size + 2, 0)).toBeLessThanOrEqual(8_000)
}

describe.each(Object.entries(KINDS))('a sign-in by %s', (_, signIn) => {
  it('comes back to this very request, however long it is', async () => {
    const world = withPasswords()
    const one = world.browser()
    const path = authorizePath({ ...own, state: longState() })
    expect(path.split('?')[1]).toHaveLength(2_048)
    const back = backFrom(await one.get(path))
    expect(back).toBe(path)
    const send = one.send.bind(one)
    one.send = async (...about) => {
      const answer = await send(...about)
      expectBounds(one)
      return answer
    }
    const end = await signIn(world, one, back)
    expect(new URL(end).pathname + new URL(end).search).toBe(path)
    expectBounds(one)
    expect(answerIn(await one.get(path))).toMatchObject({ state: longState() })
  })

  it('with prompt=login and max_age comes back, and is later than the request', async () => {
    const world = withPasswords()
    const one = world.browser()
    const back = backFrom(await one.get(authorizePath({ ...own, prompt: 'login', max_age: '60' })))
    pass(3)
    const end = new URL(await signIn(world, one, back))
    expect(answerIn(await one.get(end.pathname + end.search)).code).toBeDefined()
  })
})

it('a step-up comes back to the request, in the same session', async () => {
  const world = oauthPeople()
  const authenticator = world.authenticator()
  const { one } = await world.signUp(authenticator)
  pass(120)
  const back = backFrom(await one.get(authorizePath({ ...own, max_age: '60' })))
  const page = await one.get(
    `/auth/signin?${new URLSearchParams({ maxAge: '60', callbackUrl: back })}`,
  )
  expect(page.status).toBe(200)
  const needs = { callbackUrl: back, maxAge: '60' }
  const before = Math.floor(Date.now() / 1000)
  const { publicKey } = await world.options(one, 'sign-in', needs)
  const { url = '' } = await world.post(one, await authenticator.get(publicKey), needs)
  const { code } = answerIn(await one.get(url.slice('http://localhost:8787'.length)))
  expect((await world.open(code))?.authTime).toBeGreaterThanOrEqual(before)
})

it('requests in two tabs each get their own answer, though one sign-in was enough', async () => {
  const world = oauthPeople()
  const one = world.browser()
  const paths = ['first', 'second'].map((state) => authorizePath({ ...own, state }))
  const starts: Response[] = []
  for (const path of paths) {
    const callbackUrl = backFrom(await one.get(path))
    starts.push(await one.submit('/auth/signin/one', { callbackUrl }))
  }
  expectBounds(one)
  for (const [at, start] of starts.entries()) {
    const end = new URL(locationOf(await world.comeBack(one, 'one', start, 'ada')))
    expect(end.pathname + end.search).toBe(paths[at])
    expect(answerIn(await one.get(end.pathname + end.search)).state).toBe(['first', 'second'][at])
  }
})

it('the longest requests in two tabs fit beside each other', async () => {
  const world = oauthPeople()
  const one = world.browser()
  const path = authorizePath({ ...own, state: longState() })
  const starts: Response[] = []
  for (let tab = 0; tab < 2; tab++) {
    starts.push(
      await one.submit('/auth/signin/one', { callbackUrl: backFrom(await one.get(path)) }),
    )
    expectBounds(one)
  }
  for (const start of starts) {
    const end = locationOf(await world.comeBack(one, 'one', start, 'ada'))
    expect(end.endsWith(path)).toBe(true)
  }
})

it('consents in two tabs are each for their own request', async () => {
  const world = oauthPeople()
  const ada = await world.signIn('one', 'ada')
  const pages = await Promise.all(
    ['first', 'second'].map(async (state) => {
      const answer = await ada.get(authorizePath({ state }))
      return requestOn(await answer.text())
    }),
  )
  const decide = (request: string | undefined) =>
    ada.submit('/auth/oauth/consent', { request, decision: 'allow' })
  expect(answerIn(await decide(pages[1])).state).toBe('second')
  expect(answerIn(await decide(pages[0])).state).toBe('first')
})

it('comes back to the request whatever the app’s redirect callback says, and asks it about any other target', async () => {
  const asked: string[] = []
  const redirect = ({ url, baseUrl }: { url: string; baseUrl: string }) => {
    asked.push(url)
    return `${baseUrl}/dashboard`
  }
  const world = oauthPeople(OPTIONS, { callbacks: { redirect } })
  const one = world.browser()
  const callbackUrl = backFrom(await one.get(authorizePath(own)))
  const start = await one.submit('/auth/signin/one', { callbackUrl: `${origin}${callbackUrl}` })
  const end = locationOf(await world.comeBack(one, 'one', start, 'ada'))
  expect(end).toBe(`${origin}${callbackUrl}`)
  expect(asked).toEqual([])
  for (const other of [`${origin}/auth/oauth/authorized`, `${origin}/auth/account`, '/inbox']) {
    const again = await one.submit('/auth/signin/one', { callbackUrl: other })
    const home = locationOf(await world.comeBack(one, 'one', again, 'ada'))
    expect(home).toBe(`${origin}/dashboard`)
  }
})
