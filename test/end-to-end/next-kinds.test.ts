import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuthConfig } from '@latchkey/worker'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SECRET as SERVICE_SECRET, signIn } from '../express/support.ts'
import {
  type BuiltApp,
  buildNextApp,
  makeNextApp,
  type NextApp,
  startNextApp,
} from '../next/apps.ts'
import { testInABrowser } from '../next/in-a-browser.ts'
import { launchBrowser } from '../support/browser.ts'
import { endedToken } from '../support/ended-token.ts'
import { type FaultyService, startFaultyService } from '../sveltekit/hostile-app/faulty-service.ts'

/** The other ways in which an app with Next is built and started. */
const SECRET = 'a-secret-of-the-next-tests-0123456789ab'
/** As the app has it in process. */
const renamed: NonNullable<NonNullable<AuthConfig['callbacks']>['jwt']> = ({
  token,
  trigger,
  session,
}) => (trigger === 'update' ? { ...token, name: String(Object(session).name) } : token)
/** The first kind, in another file, has its types checked. */
const UNCHECKED = 'typescript: { ignoreBuildErrors: true }, eslint: { ignoreDuringBuilds: true },'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

describe('Next 15 with webpack, its middleware at the edge, and a service elsewhere', () => {
  let built: BuiltApp
  let service: FaultyService
  let app: NextApp

  beforeAll(async () => {
    built = await buildNextApp({ source: 'app', next: '15.5.29', config: UNCHECKED })
    service = await startFaultyService('/api/auth', { callbacks: { jwt: renamed } })
    app = await startNextApp(built.folder, {
      AUTH_SECRET: SERVICE_SECRET,
      AUTH_URL: '{url}',
      AUTH_WORKER_URL: `${service.url}/api/auth`,
    })
  })
  afterAll(async () => {
    await Promise.all([app?.stop(), service?.stop()])
    await built?.remove()
  })

  testInABrowser(() => ({ app, browser, secret: SERVICE_SECRET }))

  test('the middleware renews with one cookie, and the page behind makes no second call', async () => {
    const { cookie } = await signIn(app, { base: '/api/auth' })
    const old = await endedToken(cookie, SERVICE_SECRET)
    service.asked.length = 0
    const answer = await app.ask('/members', { headers: { cookie: old } })
    expect([answer.status, answer.text.includes('swordfish')]).toEqual([200, true])
    expect(answer.cookies).toEqual([expect.stringMatching(/^auth\.session-token=[^;]/)])
    expect(service.asked.filter((line) => line.includes('/session'))).toHaveLength(1)
    expect(answer.headers['cache-control']).toBe('private, no-store')
  })

  test.each(['/guarded', '/guarded/static', '/_next/data/x/guarded.json', '/guarded.rsc'])(
    'a request that claims to be one of the middleware is not passed on to %s (CVE-2025-29927)',
    async (path) => {
      for (const name of ['middleware', 'src/middleware']) {
        const headers = { 'x-middleware-subrequest': Array(5).fill(name).join(':') }
        expect((await app.ask(path, { headers })).text).not.toContain('swordfish')
      }
    },
  )

  test('without a store at the edge nobody gets past, and the log says what to do', async () => {
    const alone = await startNextApp(built.folder, { AUTH_SECRET: SECRET })
    try {
      const { status, text } = await alone.ask('/guarded')
      expect([status, text.includes('swordfish')]).toEqual([500, false])
      await expect.poll(() => alone.printed.join('\n')).toContain("add `runtime: 'nodejs'`")
    } finally {
      await alone.stop()
    }
  })
})

describe('cacheComponents, below the basePath /shop', () => {
  let built: BuiltApp
  let app: NextApp

  beforeAll(async () => {
    const config = "basePath: '/shop', cacheComponents: true, partialPrefetching: true,"
    built = await buildNextApp({ source: 'cached', config: config + UNCHECKED })
    app = await startNextApp(built.folder, { AUTH_SECRET: SECRET })
  })
  afterAll(async () => {
    await app?.stop()
    await built?.remove()
  })

  const enter = async (username: string) =>
    (await signIn(app, { base: '/shop/api/auth', fields: { username } })).cookie

  test('callbacks and the issuer are below the path, once', async () => {
    const { text } = await app.ask('/shop/api/auth/providers')
    expect(JSON.parse(text).videoapp.callbackUrl).toBe(`${app.url}/shop/api/auth/callback/videoapp`)
    const cookie = await enter('ada')
    const [, token = ''] = /session-token=([^;]+)/.exec(cookie) ?? []
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.iss).toBe(`${app.url}/shop/api/auth`)
    expect((await app.ask('/api/auth/providers')).status).toBe(404)
  })

  test('a user signs in, and the name streams into a shell that is the same for everybody', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${app.url}/shop/members`)
    await page.waitForURL(`${app.url}/shop/api/auth/signin?callbackUrl=%2Fshop%2Fmembers`)
    await page.locator('input[name=username]').fill('ada')
    await page.locator('input[name=password]').fill('right')
    await page.locator('form:has(input[name=password]) button[type=submit]').click()
    await page.waitForURL(`${app.url}/shop/members`)
    await page.getByRole('heading', { name: 'Members, ada: swordfish' }).waitFor()
    await page.getByRole('link', { name: 'Home' }).click()
    await page.getByRole('heading', { name: 'Home of ada' }).waitFor()
    await page.locator('#tab', { hasText: 'authenticated, ada' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Home of nobody' }).waitFor()
    await page.getByRole('link', { name: 'Members' }).click()
    await page.waitForURL(/\/shop\/api\/auth\/signin/)
    await context.close()
  })

  test('attack: `authorized` is asked at the front page too, which a matcher of one pattern leaves out', async () => {
    const headers = { accept: 'text/html' }
    for (const path of ['/shop', '/shop/members']) {
      const { status, headers: sent } = await app.ask(`${path}?guarded`, { headers })
      expect([status, sent.location]).toEqual([
        302,
        expect.stringMatching(/\/shop\/api\/auth\/signin\?callbackUrl=%2Fshop/),
      ])
    }
  })

  test('two users at once get their own names, and the shell has no name', async () => {
    const cookies = { edsger: await enter('edsger'), grace: await enter('grace') }
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const [name, other] =
          index % 2 ? (['edsger', 'grace'] as const) : (['grace', 'edsger'] as const)
        const { text } = await app.ask('/shop', { headers: { cookie: cookies[name] } })
        expect([text.includes(name), text.includes(other)]).toEqual([true, false])
        const nobody = await app.ask('/shop')
        expect(nobody.text).not.toMatch(/edsger|grace/)
      }),
    )
  })

  test('a session in "use cache" is Next’s own error, and puts no name into the cache', async () => {
    for (const cookie of [await enter('edsger'), '']) {
      const { text } = await app.ask('/shop/kept', { headers: { cookie } })
      expect([text.includes('refused: '), text.includes('edsger')]).toEqual([true, false])
    }
  })

  test('a shell is private beside a renewed cookie, and without one as Next has it', async () => {
    const cookie = await enter('ada')
    const plain = await app.ask('/shop')
    const fresh = await app.ask('/shop', { headers: { cookie } })
    expect(fresh.headers['cache-control']).toBe(plain.headers['cache-control'])
    const old = await endedToken(cookie, SECRET)
    const renewed = await app.ask('/shop', { headers: { cookie: old } })
    expect([renewed.cookies.length, renewed.headers['cache-control']]).toEqual([
      1,
      'private, no-store',
    ])
  })
})

describe('next dev', () => {
  let folder: string
  let app: NextApp

  beforeAll(async () => {
    folder = await makeNextApp({ source: 'app' })
    app = await startNextApp(folder, { AUTH_SECRET: SECRET }, 'dev')
  })
  afterAll(async () => {
    await app?.stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  test('a change of a file between the sign-in and a read ends no session', async () => {
    const { cookie } = await signIn(app, { base: '/api/auth' })
    const headers = { cookie: await endedToken(cookie, SECRET) }
    const who = async () => (await app.ask('/who', { headers })).text
    expect(await who()).toBe('{"name":"ann"}')
    const change = async (name: string, from: string, to: string) => {
      const file = join(folder, name)
      await writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
    }
    await change('auth.ts', 'const config', '// A comment.\nconst config')
    // The watcher can miss a change: then the next one is seen.
    let text = '?? null }'
    let count = 0
    const changed = async () => {
      const next = `?? null, changed: ${++count} }`
      await change('app/who/route.ts', text, next)
      text = next
      return who()
    }
    await expect
      .poll(changed, { interval: 1_000, timeout: 20_000 })
      .toMatch(/^\{"name":"ann","changed":\d+\}$/)
  })
})
