import { createAuth } from '@latchkey/worker'
import { authjs } from '@latchkey/worker/migrate'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, describe, expect, test } from 'vitest'
import { cookieOf, SECRET, signOut, startApp, versions } from '../../../test/express/support.js'
import { authjsCookies, headerOf, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { getSession, type MiddlewareAuthConfig, requireSession } from './index.js'

const until = new Date(Date.now() + 86_400_000)
const quiet = { error() {}, warn() {}, info() {} }
const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

function service(migrateFrom = [authjs({ secret: OLD_SECRET, until })]) {
  const calls: string[] = []
  const options = { basePath: '/auth', trustHost: true, store: memoryStore(), logger: quiet }
  const auth = createAuth({ providers: [], secret: SECRET, migrateFrom, ...options })
  const fetch = (url: string, init?: RequestInit) => {
    calls.push(new URL(url).pathname)
    return auth.fetch(new Request(url, init), {})
  }
  return { calls, binding: { fetch } }
}

const modes: [string, () => MiddlewareAuthConfig][] = [
  [
    'in process',
    () => ({
      providers: [],
      secret: SECRET,
      logger: quiet,
      migrateFrom: [authjs({ secret: OLD_SECRET, until })],
    }),
  ],
  ['forwarded', () => ({ worker: service().binding, logger: quiet })],
]

describe.each(versions)('$name', (version) => {
  describe.each(modes)('an old session, %s', (_, make) => {
    test('moves in by getSession: its answer sets our cookie and removes the old one', async () => {
      const app = await startApp(version, make(), undefined, stops)
      const jar = await authjsCookies({ claims: { note: 'x'.repeat(6_000) } })
      const headers = { cookie: headerOf(jar) }
      const answer = await app.ask('/me', { headers })
      expect(JSON.parse(answer.text)).toMatchObject({ user: { id: '7', name: 'Ada' } })
      expect(answer.headers['cache-control']).toBe('private, no-store')
      const names = answer.cookies.map((line) => line.split('=')[0])
      expect(names).toEqual(['auth.session-token', ...jar.keys()])
      const cookie = cookieOf(answer)
      expect((await app.ask('/me', { headers: { cookie } })).text).toContain('Ada')
      const replay = await app.ask('/me', { headers })
      expect([replay.status, replay.text, replay.cookies]).toEqual([200, 'null', []])
      await signOut(app, cookie)
      expect((await app.ask('/me', { headers: { cookie } })).text).toBe('null')
    })

    test('moves in by requireSession, once also if a request reads it several times', async () => {
      const config = make()
      const app = await startApp(
        version,
        config,
        (express) => {
          express.get('/twice', requireSession({}, config), (req, res, next) => {
            Promise.all([getSession(req, config), getSession(req, config)])
              .then((found) => res.json([res.locals.session, ...found]))
              .catch(next)
          })
          express.get('/at-once', (req, res, next) => {
            Promise.all([getSession(req, config), getSession(req, config)])
              .then((found) => res.json(found))
              .catch(next)
          })
        },
        stops,
      )
      for (const path of ['/twice', '/at-once']) {
        const headers = { cookie: headerOf(await authjsCookies()), accept: 'text/html' }
        const answer = await app.ask(path, { headers })
        for (const one of JSON.parse(answer.text)) expect(one).toMatchObject({ user: { id: '7' } })
        expect(answer.cookies).toHaveLength(2)
      }
    })

    test('does not move in if the answer can take no cookie', async () => {
      const config = make()
      const app = await startApp(
        version,
        config,
        (express) => {
          express.get('/late', (req, res) => {
            res.write('[')
            getSession(req, config).then((found) => res.end(`${JSON.stringify(found)}]`))
          })
        },
        stops,
      )
      const headers = { cookie: headerOf(await authjsCookies()) }
      expect((await app.ask('/late', { headers })).text).toBe('[null]')
      expect((await app.ask('/me', { headers })).text).toContain('Ada')
    })
  })

  test('a name of the app’s own moves in, forwarded, if the app’s config has it too', async () => {
    const migrateFrom = [authjs({ secret: OLD_SECRET, until, cookie: 'app.sid' })]
    const { binding } = service(migrateFrom)
    const app = await startApp(version, { worker: binding, migrateFrom }, undefined, stops)
    const headers = { cookie: headerOf(await authjsCookies({ name: 'app.sid' })) }
    expect((await app.ask('/me', { headers })).text).toContain('Ada')
  })

  test('a service that takes none in is asked once in five minutes, and other visitors cost no call', async () => {
    const { calls, binding } = service([])
    const app = await startApp(version, { worker: binding }, undefined, stops)
    for (let visit = 0; visit < 5; visit++) {
      await app.ask('/me', { headers: { cookie: 'theme=dark' } })
      await app.ask('/me', { headers: { cookie: headerOf(await authjsCookies()) } })
    }
    expect(calls).toEqual(['/auth/session'])
  })

  test.each<[string, () => Response]>([
    ['403', () => new Response('Blocked', { status: 403 })],
    ['429', () => new Response('null', { status: 429, headers: { 'set-cookie': '__cf_bm=1' } })],
    ['431', () => new Response(null, { status: 431 })],
    ['302', () => new Response(null, { status: 302, headers: { location: '/login' } })],
    ['200 and a page', () => new Response('<p>Checking your browser</p>')],
  ])(
    'attack: one request that is answered %s in front of the Worker does not stop other users from moving in',
    async (_, refuse) => {
      const { binding } = service()
      let isFirst = true
      const worker = {
        fetch: async (url: string, init?: RequestInit) => {
          const answer = isFirst ? refuse() : binding.fetch(url, init)
          isFirst = false
          return answer
        },
      }
      const app = await startApp(version, { worker, logger: quiet }, undefined, stops)
      const first = await app.ask('/me', { headers: { cookie: headerOf(await authjsCookies()) } })
      expect([first.status, first.text, first.cookies]).toEqual([200, 'null', []])
      const next = await app.ask('/me', { headers: { cookie: headerOf(await authjsCookies()) } })
      expect(next.text).toContain('Ada')
    },
  )

  test('a cookie that a proxy in front of the Worker sets is not passed on, and the pause holds', async () => {
    let calls = 0
    const fetch = async () => {
      calls += 1
      return new Response('null', { headers: { 'set-cookie': '__cf_bm=1; Path=/' } })
    }
    const app = await startApp(version, { worker: { fetch }, logger: quiet }, undefined, stops)
    for (let visit = 0; visit < 3; visit++) {
      const headers = { cookie: headerOf(await authjsCookies()) }
      expect((await app.ask('/me', { headers })).cookies).toEqual([])
    }
    expect(calls).toBe(1)
  })

  test('a service that does not answer is 503, and the old session moves in afterwards', async () => {
    const { binding } = service()
    let isDown = true
    const worker = {
      fetch: (url: string, init?: RequestInit) =>
        isDown ? Promise.reject(new Error('down')) : binding.fetch(url, init),
    }
    const config = { worker, logger: quiet }
    const app = await startApp(version, config, undefined, stops)
    const headers = { cookie: headerOf(await authjsCookies()) }
    const answer = await app.ask('/me', { headers })
    expect([answer.status, answer.cookies]).toEqual([503, []])
    isDown = false
    expect((await app.ask('/me', { headers })).text).toContain('Ada')
  })
})
