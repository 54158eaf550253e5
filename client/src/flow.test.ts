import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import password from '@latchkey/worker/providers/password'
import { describe, expect, it } from 'vitest'
import { clock } from '../../test/support/clock.js'
import type { AuthorizationParams } from './flow.js'
import { openPage } from './test-support/page.js'

const { pass } = clock({ start: 'now' })

const userIn = (session: unknown) => (session as { user?: { id?: string } } | null)?.user?.id

it('a password that is kept here is posted to its callback, and an address alone asks for a mail', async () => {
  const mails: unknown[] = []
  const from = 'sign-in@mail.example'
  const providers = [
    email({ from, sendVerificationRequest: (mail) => void mails.push(mail) }),
    password(),
  ]
  const { newClient } = openPage({ providers, features: [passwords] })
  const address = { email: 'ada@mail.example', redirect: false } as const
  expect(await newClient().signIn('password', { ...address, password: 'wrong' })).toMatchObject({
    ok: false,
    error: 'CredentialsSignin',
    code: 'credentials',
  })
  expect(mails).toEqual([])
  const asked = await newClient().signIn('password', address)
  expect(asked?.url).toMatch(/\/auth\/verify-request/)
  expect(mails).toHaveLength(1)
})

describe('signIn with credentials', () => {
  it('signs in and stays on the page with redirect: false', async () => {
    const { newClient, log } = openPage()
    const client = newClient()
    expect(await client.session()).toBeNull()

    const result = await client.signIn('password', { password: 'lovelace', redirect: false })

    expect(result).toEqual({
      error: undefined,
      code: undefined,
      status: 200,
      ok: true,
      url: 'https://app.example/here?tab=1',
    })
    expect(userIn(await client.session())).toMatch(/.+/)
    expect(log).toEqual(['announce', 'refresh'])
  })

  it('knows a provider of any id by its type, and keeps fields out of the URL', async () => {
    const { newClient, requests } = openPage()
    await newClient().signIn('password', { password: 'lovelace' }, { a: 'b' })
    const [, , post] = requests
    expect(post?.url).toBe('https://app.example/auth/callback/password')
    const body = new URLSearchParams(post?.body)
    expect(Object.fromEntries(body)).toEqual({
      password: 'lovelace',
      callbackUrl: 'https://app.example/here?tab=1',
      csrfToken: expect.stringMatching(/.{20}/),
    })
  })

  it('overrides options named csrfToken and callbackUrl', async () => {
    const { newClient, requests } = openPage()
    const fields = { csrfToken: 'forged', callbackUrl: 'https://evil.example/' }
    // @ts-expect-error: the types refuse it too
    await newClient().signIn('password', { password: 'lovelace', ...fields })
    expect(requests.at(-1)?.body).not.toMatch(/forged|evil/)
  })

  it('goes to redirectTo after signing in', async () => {
    const { newClient, log } = openPage()
    const options = { password: 'lovelace', redirectTo: '/members' }
    expect(await newClient().signIn('password', options)).toBeUndefined()
    expect(log).toEqual(['announce', 'go https://app.example/members'])
  })

  it('returns the error without a URL, and refreshes nothing', async () => {
    const { newClient, log } = openPage()
    const client = newClient()
    expect(await client.signIn('password', { password: 'wrong', redirect: false })).toEqual({
      error: 'CredentialsSignin',
      code: 'credentials',
      status: 401,
      ok: false,
      url: null,
    })
    expect(log).toEqual([])
    expect(await client.session()).toBeNull()
  })

  it('goes to the sign-in page with the error when it may redirect', async () => {
    const { newClient, log } = openPage()
    await newClient().signIn('password', { password: 'wrong' })
    expect(log).toHaveLength(1)
    const page = new URL(log[0]?.replace(/^go /, '') ?? '')
    expect(page.origin + page.pathname).toBe('https://app.example/auth/signin')
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      error: 'CredentialsSignin',
      code: 'credentials',
    })
    expect(log[0]).not.toContain('wrong')
  })

  it('fetches the providers once, and a csrf token each time', async () => {
    const { newClient, requests } = openPage()
    const client = newClient()
    await client.signIn('password', { password: 'wrong', redirect: false })
    await client.signIn('password', { password: 'lovelace', redirect: false })
    const paths = requests.map(({ url }) => new URL(url).pathname)
    expect(paths.filter((path) => path === '/auth/providers')).toHaveLength(1)
    expect(paths.filter((path) => path === '/auth/csrf')).toHaveLength(2)
  })
})

describe('signIn with another provider', () => {
  it.each<[string, AuthorizationParams]>([
    ['an object', { prompt: 'login' }],
    ['pairs', [['prompt', 'login']]],
    ['a text', 'prompt=login'],
  ])('goes to the page of the provider, with parameters given as %s', async (_, params) => {
    const { newClient, log, requests } = openPage()
    await newClient().signIn('elsewhere', {}, params)
    expect(requests.at(-1)?.url).toBe('https://app.example/auth/signin/elsewhere?prompt=login')
    expect(log).toHaveLength(1)
    expect(log[0]).toMatch(/^go https:\/\/elsewhere\.example\/authorize\?.*prompt=login/)
  })

  it('returns that page’s URL with redirect: false, and refreshes nothing', async () => {
    const { newClient, log } = openPage()
    const result = await newClient().signIn('elsewhere', { redirect: false })
    expect(result).toMatchObject({ ok: true, status: 200, error: undefined })
    expect(result?.url).toMatch(/^https:\/\/elsewhere\.example\/authorize\?/)
    expect(log).toEqual([])
  })

  it.each([undefined, '', 'unknown', '__proto__', 'toString'])(
    'opens the sign-in page for %j, and posts nothing',
    async (id) => {
      const { newClient, log, requests } = openPage()
      await newClient().signIn(id, { redirectTo: '/members' })
      expect(log).toEqual(['go https://app.example/auth/signin?callbackUrl=%2Fmembers'])
      expect(requests.filter(({ method }) => method === 'POST')).toEqual([])
    },
  )

  it('opens the sign-in page for a fresh sign-in', async () => {
    const { newClient, log } = openPage()
    await newClient().signIn(undefined, { redirectTo: '/members', maxAge: 300, acr: '2' })
    const page = 'https://app.example/auth/signin?callbackUrl=%2Fmembers&maxAge=300&acr=2'
    expect(log).toEqual([`go ${page}`])
  })

  it('returns an error for an unknown provider with redirect: false', async () => {
    const { newClient, log } = openPage()
    const result = await newClient().signIn('unknown', { redirect: false })
    expect(result).toMatchObject({ ok: false, status: 400, error: 'Configuration', url: null })
    expect(log).toEqual([])
  })

  it.each([undefined, ''])(
    'returns the sign-in page’s URL with redirect: false, for %j',
    async (id) => {
      const { newClient } = openPage()
      const result = await newClient().signIn(id, { redirect: false })
      expect(result).toMatchObject({ ok: true })
      expect(result?.url).toMatch(/^https:\/\/app\.example\/auth\/signin\?callbackUrl=/)
    },
  )
})

describe('signIn with link', () => {
  async function signedIn() {
    const opened = openPage()
    const client = opened.newClient()
    await client.signIn('password', { password: 'lovelace', redirect: false })
    const id = userIn(await client.session())
    opened.log.length = 0
    return { ...opened, client, id }
  }

  it('goes to the provider, which is a way of the same person afterwards', async () => {
    const { client, log, requests, comeBack, ways, id } = await signedIn()
    await client.signIn('elsewhere', { link: true, redirectTo: '/settings' }, { prompt: 'login' })
    const post = requests.at(-1)
    expect(post?.url).toBe('https://app.example/auth/ways/add?prompt=login')
    expect(Object.fromEntries(new URLSearchParams(post?.body))).toEqual({
      provider: 'elsewhere',
      callbackUrl: '/settings',
      csrfToken: expect.stringMatching(/.{20}/),
    })
    const [to = ''] = log.splice(0)
    expect(to).toMatch(/^go https:\/\/elsewhere\.example\/authorize\?.*prompt=login/)
    expect(await comeBack(to.replace('go ', ''))).toBe('https://app.example/settings')
    expect(await ways()).toEqual(['password', 'elsewhere'])
    expect(userIn(await client.session())).toBe(id)
  })

  it('returns the provider’s page with redirect: false, and neither announces nor refreshes', async () => {
    const { client, log } = await signedIn()
    const result = await client.signIn('elsewhere', { link: true, redirect: false })
    expect(result).toMatchObject({ ok: true, status: 200, error: undefined })
    expect(result?.url).toMatch(/^https:\/\/elsewhere\.example\/authorize\?/)
    expect(log).toEqual([])
  })

  it('more than five minutes after the sign-in opens the sign-in page, or says so with redirect: false', async () => {
    const { client, log, ways } = await signedIn()
    pass(301)
    await client.signIn('elsewhere', { link: true, redirectTo: '/settings' })
    const callbackUrl = encodeURIComponent('https://app.example/settings')
    expect(log.splice(0)).toEqual([
      `go https://app.example/auth/signin?maxAge=300&callbackUrl=${callbackUrl}`,
    ])
    expect(await client.signIn('elsewhere', { link: true, redirect: false })).toEqual({
      error: 'FreshSignInRequired',
      code: undefined,
      status: 401,
      ok: false,
      url: null,
    })
    expect(log).toEqual([])
    expect(await ways()).toEqual(['password'])
  })

  it('opens the sign-in page if no user is signed in, or says so with redirect: false', async () => {
    const { newClient, log } = openPage()
    await newClient().signIn('elsewhere', { link: true, redirectTo: '/settings' })
    const page = 'https://app.example/auth/signin?maxAge=300&callbackUrl='
    const target = encodeURIComponent('https://app.example/settings')
    expect(log.splice(0)).toEqual([`go ${page}${target}`])
    const told = await newClient().signIn('elsewhere', { link: true, redirect: false })
    expect(told).toMatchObject({ error: 'FreshSignInRequired', status: 401, ok: false, url: null })
    expect(log).toEqual([])
  })

  it('adds neither a provider that the app itself checks nor an unknown one', async () => {
    const { client, ways } = await signedIn()
    for (const id of ['password', 'unknown', '__proto__']) {
      const options = { link: true, password: 'lovelace', redirect: false }
      expect(await client.signIn(id, options)).toMatchObject({ ok: false, url: null })
    }
    expect(await ways()).toEqual(['password'])
  })

  it('signs in if link is false', async () => {
    const { newClient, requests } = openPage()
    await newClient().signIn('elsewhere', { link: false })
    expect(requests.at(-1)?.url).toMatch(/\/auth\/signin\/elsewhere\?$/)
    expect(requests.at(-1)?.body).not.toContain('link')
  })
})

describe('signOut', () => {
  async function signedIn(settings?: Parameters<typeof openPage>[0]) {
    const opened = openPage(settings)
    const client = opened.newClient()
    const basePath = settings?.basePath
    await client.signIn('password', { password: 'lovelace', redirect: false, basePath })
    expect(userIn(await client.session())).toBeDefined()
    opened.log.length = 0
    return { ...opened, client }
  }

  it('ends the session, notifies the other tabs and goes to redirectTo', async () => {
    const { client, log } = await signedIn()
    expect(await client.signOut({ redirectTo: '/bye' })).toBeUndefined()
    expect(log).toEqual(['announce', 'go https://app.example/bye'])
    expect(await client.session()).toBeNull()
  })

  it('stays on the page with redirect: false', async () => {
    const { client, log } = await signedIn()
    expect(await client.signOut({ redirect: false })).toEqual({
      error: undefined,
      code: undefined,
      status: 200,
      ok: true,
      url: 'https://app.example/here?tab=1',
    })
    expect(log).toEqual(['announce', 'refresh'])
  })

  it('is an error when the service refuses it', async () => {
    const { client, log, page } = await signedIn()
    page.answer = async () => Response.json({ error: 'Configuration' }, { status: 503 })
    expect(await client.signOut({ redirect: false })).toMatchObject({ ok: false, status: 503 })
    expect(log).toEqual([])
    await client.signOut({ redirectTo: '/bye' })
    expect(log).toEqual(['go https://app.example/auth/signout?callbackUrl=%2Fbye'])
  })

  it('works below the base of Kit and another base path', async () => {
    const { client, requests } = await signedIn({ base: '/app', basePath: '/api/auth' })
    expect(await client.signOut({ redirect: false, basePath: '/api/auth/' })).toMatchObject({
      ok: true,
    })
    expect(requests.every(({ url }) => new URL(url).pathname.startsWith('/app/api/auth/'))).toBe(
      true,
    )
  })

  it('reloads if only the hash of the page changes', async () => {
    const { client, log } = await signedIn({ href: 'https://app.example/here#one' })
    await client.signOut({ redirectTo: 'https://app.example/here#two' })
    expect(log).toEqual(['announce', 'go https://app.example/here#two', 'reload'])
  })

  it('loads the same page once if there is no hash', async () => {
    const { client, log } = await signedIn()
    await client.signOut()
    expect(log).toEqual(['announce', 'go https://app.example/here?tab=1'])
  })
})

describe('faults', () => {
  it.each([
    ['a page of a proxy', () => new Response('<html>', { status: 502 })],
    ['a page of the app', () => new Response('<html>', { status: 200 })],
    ['nothing', () => new Response(null, { status: 204 })],
    ['null', () => Response.json(null)],
    ['a list', () => Response.json([1])],
  ])('takes %s for a failure, never for a sign-in or a SyntaxError', async (_, answer) => {
    for (const fault of ['/providers', '/csrf', '/callback/password']) {
      const { newClient, log, page } = openPage()
      const { answer: real } = page
      page.answer = async (request) => (request.url.endsWith(fault) ? answer() : real(request))
      const options = { password: 'lovelace', redirect: false }
      const result = await newClient().signIn('password', options)
      expect(result).toMatchObject({ ok: false, error: 'Configuration', url: null })
      expect(log).toEqual([])
    }
  })

  it('fetches the providers again after a failure', async () => {
    const { newClient, page } = openPage()
    const { answer } = page
    const client = newClient()
    page.answer = async () => new Response('<html>', { status: 502 })
    await client.signIn('password', { password: 'lovelace', redirect: false })
    page.answer = answer
    const result = await client.signIn('password', { password: 'lovelace', redirect: false })
    expect(result).toMatchObject({ ok: true })
  })

  it('rejects with an AuthError when there is no answer', async () => {
    const { newClient, page } = openPage()
    page.answer = () => Promise.reject(new TypeError('Failed to fetch'))
    const client = newClient()
    const error = { name: 'Unavailable', message: 'No answer.' }
    await expect(client.signIn('password')).rejects.toMatchObject(error)
    await expect(client.signOut()).rejects.toMatchObject(error)
  })

  it('has an unknown session when the service fails', async () => {
    const { newClient, page } = openPage()
    page.answer = async () => Response.json({ error: 'Configuration' }, { status: 503 })
    expect(await newClient().session()).toBeUndefined()
  })

  it('goes to no URL that is a script', async () => {
    const { newClient, log, page } = openPage()
    const { answer } = page
    page.answer = async (request) =>
      request.method === 'POST' ? Response.json({ url: 'javascript:alert(1)' }) : answer(request)
    await newClient().signIn('elsewhere', { redirectTo: '/members' })
    expect(log).toEqual(['go https://app.example/auth/signin?callbackUrl=%2Fmembers'])
  })

  it.each(['https://evil.example/auth', '//evil.example', '/\\evil.example', 'auth', ''])(
    'sends no password to the base path %j',
    async (basePath) => {
      const { newClient, requests } = openPage()
      const options = { password: 'lovelace', basePath }
      const signIn = newClient().signIn('password', options)
      await expect(signIn).rejects.toThrow('basePath')
      expect(requests).toEqual([])
    },
  )
})
