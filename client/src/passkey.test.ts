import { describe, expect, it } from 'vitest'
import { openPage } from './test-support/page.js'

const here = 'https://app.example/here?tab=1'

/** A user closes the browser's dialog. */
const close = async () => {
  throw new DOMException('Closed.', 'NotAllowedError')
}

async function signUp(page = openPage()) {
  const options = { action: 'register', name: 'Ada', redirect: false } as const
  expect(await page.newClient().signIn('passkey', options)).toMatchObject({ ok: true })
  page.log.length = 0
  page.requests.length = 0
  return page
}

const pathsOf = ({ requests }: ReturnType<typeof openPage>) =>
  requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)

describe('signIn with a passkey', () => {
  it('creates an account, and stays on the page with redirect: false', async () => {
    const page = openPage()
    const client = page.newClient()
    const options = { action: 'register', name: 'Ada', redirect: false } as const
    expect(await client.signIn('passkey', options)).toEqual({
      error: undefined,
      code: undefined,
      status: 200,
      ok: true,
      url: here,
    })
    expect(await client.session()).toMatchObject({ user: { name: 'Ada' } })
    expect(page.log).toEqual(['announce', 'refresh'])
    expect(pathsOf(page).slice(0, 3)).toEqual([
      'GET /auth/csrf',
      'POST /auth/passkey/options',
      'POST /auth/callback/passkey',
    ])
    expect(page.requests.map(({ url }) => new URL(url).search).join('')).toBe('')
  })

  it('creates one without a name', async () => {
    const page = openPage()
    const client = page.newClient()
    for (const name of ['', undefined]) {
      const options = { action: 'register', name, redirect: false } as const
      expect(await client.signIn('passkey', options)).toMatchObject({ ok: true })
    }
  })

  it('signs the same person in, and goes to redirectTo', async () => {
    const page = await signUp()
    const client = page.newClient()
    const first = await client.session()
    await client.signOut({ redirect: false })
    page.log.length = 0
    expect(await client.signIn('passkey', { redirectTo: '/members' })).toBeUndefined()
    expect(page.log).toEqual(['announce', 'go https://app.example/members'])
    const user = (session: unknown) => (session as { user: { id: string } }).user.id
    expect(user(await client.session())).toBe(user(first))
  })

  it('adds another one for a signed-in user', async () => {
    const page = await signUp()
    // The first authenticator has one already, and says so.
    expect(await page.newClient().signIn('passkey', { link: true, redirect: false })).toMatchObject(
      {
        ok: false,
        error: 'CredentialsSignin',
        code: 'already_added',
        url: null,
      },
    )
    expect(await page.ways()).toEqual(['passkey'])
    page.newAuthenticator()
    expect(await page.newClient().signIn('passkey', { link: true, redirect: false })).toMatchObject(
      {
        ok: true,
      },
    )
    expect(await page.ways()).toEqual(['passkey', 'passkey'])
  })

  it('adds none if no user is signed in', async () => {
    const page = openPage()
    const result = await page.newClient().signIn('passkey', { link: true, redirect: false })
    expect(result).toMatchObject({ ok: false, status: 401, url: null })
    expect(pathsOf(page)).not.toContain('POST /auth/callback/passkey')
  })

  it.each([{ redirect: false }, {}])('stays if a person cancels, with %j', async (more) => {
    const page = await signUp()
    page.passkeys.ask = close
    expect(await page.newClient().signIn('passkey', more)).toEqual({
      error: 'CredentialsSignin',
      code: 'cancelled',
      status: 200,
      ok: false,
      url: null,
    })
    expect(page.log).toEqual([])
    expect(pathsOf(page)).not.toContain('POST /auth/callback/passkey')
    // A second try is a new one.
    page.passkeys.ask = async () => {}
    expect(await page.newClient().signIn('passkey', { redirect: false })).toMatchObject({
      ok: true,
    })
  })

  it('tells the password manager of a passkey that is not known, and the page where', async () => {
    const page = await signUp()
    const other = openPage()
    page.passkeys.hold = other.passkeys.hold
    await signUp(other)
    const result = await page.newClient().signIn('passkey', { redirect: false })
    expect(result).toMatchObject({
      error: 'CredentialsSignin',
      code: 'unknown_passkey',
      status: 401,
      ok: false,
      url: null,
    })
    expect(page.unknown).toHaveLength(1)
  })

  it('opens the sign-in page in a browser without passkeys, and says so with redirect: false', async () => {
    const page = openPage({ hasPasskeys: false })
    const result = await page.newClient().signIn('passkey', { redirect: false })
    expect(result).toMatchObject({ ok: false, error: 'CredentialsSignin', code: 'unsupported' })
    await page.newClient().signIn('passkey')
    const signInPage = `/auth/signin?${new URLSearchParams({ callbackUrl: here })}`
    expect(page.log).toEqual([`go https://app.example${signInPage}`])
    expect(page.requests).toEqual([])
  })

  it('finds the routes below the base of Kit and a basePath', async () => {
    const page = openPage({ base: '/app', basePath: '/sso' })
    const options = { action: 'register', redirect: false, basePath: '/sso' } as const
    expect(await page.newClient().signIn('passkey', options)).toMatchObject({ ok: true })
    expect(pathsOf(page)).toContain('POST /app/sso/passkey/options')
  })
})
