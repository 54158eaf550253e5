import { describe, expect, test, vi } from 'vitest'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, ORIGIN, SECRET, TestApp, testWorker } from './test-app.js'

vi.mock('./app-base.js', () => ({ appBase: '/app' }))

describe('below the app’s own base path', () => {
  test.each([undefined, '/auth', '/app/auth'])(
    'are the auth routes, by basePath %s',
    async (basePath) => {
      const app = new TestApp(ComponentKitAuth({ ...config, ...(basePath ? { basePath } : {}) }))
      const found = await (await app.visit('/app/auth/providers')).json()
      expect(found).toMatchObject({
        credentials: { callbackUrl: `${ORIGIN}/app/auth/callback/credentials` },
      })
      await app.visit('/auth/providers')
      expect(app.wasResolved).toBe(true)
      expect((await app.signIn()).headers.get('location')).toBe(`${ORIGIN}/app/`)
      expect(await app.who()).toBe('Ada')
    },
  )

  test.each(['signin', 'signout'])('is the default callbackUrl of %s', async (page) => {
    const app = new TestApp(ComponentKitAuth(config))
    if (page === 'signout') await app.signIn()
    const targetOf = async (query: string) => {
      const html = await (await app.visit(`/app/auth/${page}${query}`)).text()
      return /name="callbackUrl" value="([^"]*)"/.exec(html)?.[1]
    }
    expect(await targetOf('')).toBe(`${ORIGIN}/app/`)
    expect(await targetOf('?error=AccessDenied')).toBe(`${ORIGIN}/app/`)
    expect(await targetOf('?callbackUrl=/app/members')).toBe(`${ORIGIN}/app/members`)
  })

  test('is a basePath whose first segment only begins with the app’s own', async () => {
    const app = new TestApp(ComponentKitAuth({ ...config, basePath: '/apple' }))
    const found = await (await app.visit('/app/apple/providers')).json()
    expect(found).toMatchObject({
      credentials: { callbackUrl: `${ORIGIN}/app/apple/callback/credentials` },
    })
  })

  test('are the routes of a Worker with the same base path', async () => {
    const worker = testWorker({ basePath: '/app/auth' })
    const app = new TestApp(ComponentKitAuth({ worker, secret: SECRET }))
    await app.signIn()
    expect(await app.who()).toBe('Ada')
  })

  test('a Worker or AUTH_URL with another base path is an error', async () => {
    const app = new TestApp(ComponentKitAuth({ worker: 'https://auth.example/auth' }))
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await app.visit('/app/auth/session')).status).toBe(500)
    expect(String(said.mock.lastCall)).toMatch(
      /base path is \/auth, and the configured one \/app\/auth/,
    )
    const platform = { env: { AUTH_URL: 'https://app.example/auth' } }
    const own = new TestApp(ComponentKitAuth(config))
    const failed = await own.visit('/app/auth/session', undefined, {}, { platform })
    expect(failed.status).toBe(500)
    expect(String(said.mock.lastCall)).toMatch(/no request for it reaches this app/)
    said.mockRestore()
  })
})
