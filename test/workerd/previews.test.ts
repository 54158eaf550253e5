import { describe, expect, test } from 'vitest'
import { Browser, keysOf, location, type Service, service } from './support.ts'

/** What proxy and preview both have: the video app has the proxy’s redirect URI. */
const shared = {
  AUTH_REDIRECT_PROXY_URL: 'http://127.0.0.1:8787/auth',
  AUTH_TRUSTED_ORIGINS: 'http://localhost:*',
}

/** A preview at http://localhost:8787, and the proxy's redirect for a browser without its cookies. */
function preview(variables: Record<string, string> = {}) {
  const of = service({}, { ...shared, ...variables } as Parameters<typeof service>[1])
  const passOn = (path: string) =>
    of.auth.fetch(new Request(`http://127.0.0.1:8787${path}`, { redirect: 'manual' }), of.env)
  return { of, browser: new Browser(of), passOn }
}

const tokenRequests = ({ sandbox }: Service) =>
  sandbox.requests.filter(({ path }) => path.endsWith('/token/'))

describe('a preview with the environment of the proxy', () => {
  test('signs in through it: sealed, once, in the browser that asked', async () => {
    const { of, browser, passOn } = preview()
    const back = await browser.allow()
    const before = (await keysOf('session:')).length
    const passed = await passOn(back)
    expect(passed.status).toBe(302)
    expect(passed.headers.getSetCookie()).toEqual([])
    expect(await keysOf('session:')).toHaveLength(before)
    expect(tokenRequests(of)).toHaveLength(0)
    const to = location(passed)
    expect(to.origin + to.pathname).toBe('http://localhost:8787/auth/callback/videoapp')
    expect([...to.searchParams.keys()]).toEqual(['flow', 'passed'])
    const code = new URL(back, to).searchParams.get('code') ?? 'none'
    expect(decodeURIComponent(to.href)).not.toContain(code)

    const stranger = new Browser(of)
    const foreign = await stranger.go(to.pathname + to.search)
    expect(location(foreign).searchParams.get('error')).toBe('InvalidCheck')
    const { cookieHeader: cookie } = browser
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        browser.go(to.pathname + to.search, { headers: { cookie } }),
      ),
    )
    expect(answers.filter((one) => location(one).pathname === '/inbox')).toHaveLength(1)
    expect(tokenRequests(of)).toHaveLength(1)
    expect(await keysOf('session:')).toHaveLength(before + 1)
    expect(browser.claims.iss).toBe('http://localhost:8787/auth')
  })

  test('gets no answer if it is not on the list', async () => {
    const { browser, passOn, of } = preview({ AUTH_TRUSTED_ORIGINS: 'http://127.0.0.1:*' })
    const answer = await passOn(await browser.allow())
    const { origin, searchParams } = location(answer)
    expect([origin, searchParams.get('error')]).toEqual(['http://127.0.0.1:8787', 'InvalidCheck'])
    expect(of.errors.map(({ message }) => message).join()).toContain('http://localhost:8787/auth')
  })

  test('a wildcard over all Workers stops the service by name', async () => {
    const { browser, of } = preview({ AUTH_TRUSTED_ORIGINS: 'https://*.workers.dev' })
    expect((await browser.go('/auth/csrf')).status).toBe(500)
    expect(of.errors.map(({ message }) => message).join()).toContain('https://*.workers.dev')
  })
})
