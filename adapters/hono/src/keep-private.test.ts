import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { stream } from 'hono/streaming'
import { describe, expect, test } from 'vitest'
import { endedToken } from '../../../test/support/ended-token.js'
import { authHandler, getSession, requireSession, session } from './index.js'
import { Browser, inProcess, SECRET } from './test-app.js'

const PUBLIC = 'public, max-age=300'
const ways = {
  'getSession() in a middleware': (config) => async (c, next) => {
    await getSession(c, config)
    await next()
  },
  'session()': (config) => session(config),
  'requireSession()': (config) => requireSession({}, config),
} satisfies Record<string, (config: ReturnType<typeof inProcess>) => MiddlewareHandler>

/** What an app does with an answer after the session was read. */
const ANSWERS: Record<string, (c: Context) => Response | Promise<Response>> = {
  'a new Response': () => new Response('page', { headers: { 'cache-control': PUBLIC } }),
  'a constant of the app': () => CONSTANT,
  'c.header and c.text': (c) => {
    c.header('Cache-Control', PUBLIC)
    return c.text('page')
  },
  'c.json with headers': (c) => c.json({}, 200, { 'cache-control': PUBLIC }),
  'c.html of a promise': (c) => c.html(Promise.resolve('page'), 200, { 'cache-control': PUBLIC }),
  'c.body for a CDN': (c) => c.body('page', 200, { 'cdn-cache-control': 'max-age=60' }),
  'c.redirect': (c) => {
    c.header('Cache-Control', PUBLIC)
    return c.redirect('/other', 301)
  },
  'a stream': (c) => {
    c.header('Cache-Control', PUBLIC)
    return stream(c, async (to) => void (await to.write('page')))
  },
  'c.json whose headers it changes': (c) => {
    const answer = c.json({}, 200)
    answer.headers.delete('Cache-Control')
    answer.headers.append('Cache-Control', PUBLIC)
    answer.headers.set('CDN-Cache-Control', 'max-age=60')
    answer.headers.set('X-Accel-Expires', 300 as unknown as string)
    return answer
  },
  'words that caches do not part': (c) =>
    c.json({}, 200, { 'cache-control': 'public, max-age=300 no-store' }),
  'no answer': (c) => c.notFound(),
  'an error': () => {
    throw new Error('of the page')
  },
}
const CONSTANT = new Response(null, { headers: { 'cache-control': PUBLIC } })

function expectPrivate(answer: Response, hasCookie = true): void {
  const isSet = answer.headers.getSetCookie().filter((line) => line.includes('session-token='))
  if (hasCookie) expect(isSet).toHaveLength(1)
  if (isSet.length === 0) return
  expect(answer.headers.get('cache-control')).toMatch(/(^|, )(private|no-store)(,|$)/)
  expect(answer.headers.has('cdn-cache-control')).toBe(false)
}

async function aged(app: Hono): Promise<Browser> {
  const browser = new Browser(app)
  await browser.signIn()
  const [name = '', ...value] = (await endedToken(browser.cookie, SECRET)).split('=')
  browser.cookies.set(name, value.join('='))
  return browser
}

describe.each(Object.entries(ways))('after %s', (_, middleware) => {
  function appWith(before?: MiddlewareHandler): Hono {
    const config = inProcess()
    const app = new Hono()
    if (before) app.use(before)
    app.onError((_, c) => c.text('error', 500, { 'cache-control': PUBLIC }))
    app.use('/answer/*', middleware(config))
    app.use('/auth/:public{jwks.json|revocations|providers}', middleware(config))
    app.all('/auth/*', authHandler(config))
    app.get('/answer/:name', (c) => ANSWERS[c.req.param('name')]?.(c) ?? c.notFound())
    return app
  }

  test.each(Object.keys(ANSWERS))(
    'attack: a page that is made public by %s gives a renewed session to a shared cache',
    async (name) => {
      const browser = await aged(appWith())
      expectPrivate(await browser.go(`/answer/${encodeURIComponent(name)}`))
      // The answer to nobody in particular is as the app made it.
      expect(CONSTANT.headers.getSetCookie()).toEqual([])
    },
  )

  test.each(['/auth/jwks.json', '/auth/revocations', '/auth/providers'])(
    'attack: our own public answer %s gives a renewed session to a shared cache',
    async (path) => expectPrivate(await (await aged(appWith())).go(path)),
  )

  test.each<[string, (c: Context) => void]>([
    ['changes the answer', (c) => c.res.headers.set('cache-control', PUBLIC)],
    ['takes its header away', (c) => c.header('cache-control', undefined)],
    [
      'makes another answer',
      (c) => {
        c.res = new Response('x', { headers: { 'cache-control': PUBLIC } })
      },
    ],
  ])(
    'attack: a middleware around it that %s gives a renewed session to a shared cache',
    async (_, change) => {
      const app = appWith(async (c, next) => {
        await next()
        if (c.req.path.startsWith('/answer')) change(c)
      })
      expectPrivate(await (await aged(app)).go('/answer/a%20new%20Response'))
    },
  )
})

test.each(Object.keys(ANSWERS))(
  'attack: a handler alone reads the session, and answers with %s: nothing public has its cookie',
  async (name) => {
    const config = inProcess()
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    app.get('/alone', async (c) => {
      await getSession(c, config)
      return ANSWERS[name]?.(c) ?? c.notFound()
    })
    // A Response that the context did not make has no cookie at all.
    const isOwn = /^(a new|a constant|an error)/.test(name)
    expectPrivate(await (await aged(app)).go('/alone'), !isOwn)
  },
)
