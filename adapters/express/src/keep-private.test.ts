import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { OutgoingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { inProcess, SECRET, signIn, startApp, versions } from '../../../test/express/support.js'
import { endedToken } from '../../../test/support/ended-token.js'
import { getSession } from './get-session.js'

const folder = mkdtempSync(join(tmpdir(), 'keep-private-'))
const file = join(folder, 'page.txt')
writeFileSync(file, 'page')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const stops: (() => Promise<void>)[] = []
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))))

const PUBLIC = 'public, max-age=300'

/** As the package `on-headers` does it, by which `compression` and others hear of the headers. */
function onHeaders(res: ServerResponse, listener: () => void): void {
  const { writeHead } = res
  const heard = (status: number, ...rest: unknown[]) => {
    const headers = rest.at(-1)
    if (headers && typeof headers === 'object')
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    listener()
    return writeHead.call(res, status)
  }
  Object.assign(res, { writeHead: heard })
}

/** What an app does with an answer, after a middleware has read the session. */
const ANSWERS: Record<string, (res: ServerResponse & { sendFile(file: string): void }) => void> = {
  'a header': (res) => res.setHeader('Cache-Control', PUBLIC).end(),
  'a header in another case': (res) => res.setHeader('CACHE-CONTROL', [PUBLIC]).end(),
  'no header': (res) => res.end(),
  'a header that it takes away again': (res) => {
    res.removeHeader('cache-control')
    res.end()
  },
  'all headers at once': (res) => res.setHeaders(new Map([['cache-control', PUBLIC]])).end(),
  'a header for a CDN': (res) =>
    res.setHeader('CDN-Cache-Control', 'max-age=60').setHeader('Surrogate-Control', 'x').end(),
  'writeHead and an object': (res) =>
    res.writeHead(200, { 'cache-control': PUBLIC, 'cdn-cache-control': 'max-age=60' }).end(),
  'writeHead, a text and an object': (res) =>
    res.writeHead(200, 'OK', { 'Cache-Control': PUBLIC }).end(),
  'writeHead and a list': (res) => res.writeHead(200, ['Cache-Control', PUBLIC]).end(),
  'on-headers': (res) => {
    onHeaders(res, () => void res.setHeader('cache-control', PUBLIC))
    res.end()
  },
  'a stream': (res) => {
    res.setHeader('cache-control', PUBLIC)
    Readable.from(['a', 'b']).pipe(res)
  },
  flushHeaders: (res) => {
    res.setHeader('cache-control', PUBLIC)
    res.flushHeaders()
    res.end()
  },
  'a file': (res) => res.sendFile(file),
  'a header that it adds': (res) => res.appendHeader('Cache-Control', PUBLIC).end(),
  'a header of the prototype': (res) => {
    OutgoingMessage.prototype.setHeader.call(res, 'cache-control', PUBLIC)
    OutgoingMessage.prototype.setHeader.call(res, 'surrogate-control', 'max-age=60')
    res.end()
  },
  'words that caches do not part': (res) =>
    res.setHeader('Cache-Control', 'public, max-age=300 no-store').end(),
  'an error with headers': () => {
    const headers = { 'cache-control': PUBLIC, 'cdn-cache-control': 'max-age=60' }
    throw Object.assign(new Error('gone'), { status: 410, headers })
  },
}

describe.each(versions)('$name', (version) => {
  async function agedIn(build: Parameters<typeof startApp>[2]) {
    const config = inProcess()
    const app = await startApp(
      version,
      config,
      (app) => {
        build?.(app)
        // The session for every page.
        app.use((req, _, next) => void getSession(req, config).then(() => next(), next))
        app.get('/answer/:name', (req, res) => ANSWERS[req.params.name]?.(res))
      },
      stops,
    )
    const { cookie } = await signIn(app)
    const aged = await endedToken(cookie, SECRET)
    return (path: string, headers = {}) =>
      app.ask(encodeURI(path), { headers: { cookie: aged, ...headers } })
  }

  function expectPrivate({ cookies, headers }: Awaited<ReturnType<typeof signIn>>['answer']) {
    expect(cookies.join()).toContain('session-token=')
    expect(headers['cache-control']).toMatch(/(^|, )(private|no-store)(,|$)/)
    expect(headers).not.toHaveProperty('cdn-cache-control')
    expect(headers).not.toHaveProperty('surrogate-control')
  }

  test.each(['/auth/jwks.json', '/auth/revocations', '/auth/providers'])(
    'attack: our own public answer %s gives a renewed session to a shared cache',
    async (path) => expectPrivate(await (await agedIn(() => {}))(path)),
  )

  test.each(Object.keys(ANSWERS))(
    'attack: a page that is made public by %s gives a renewed session to a shared cache',
    async (name) => expectPrivate(await (await agedIn(() => {}))(`/answer/${name}`)),
  )

  test('attack: a listener for headers that was there before makes an answer with a session public', async () => {
    const ask = await agedIn((app) => {
      app.use((_, res, next) => {
        onHeaders(res, () => void res.setHeader('cache-control', PUBLIC))
        next()
      })
    })
    expectPrivate(await ask('/answer/no header'))
    expectPrivate(await ask('/auth/jwks.json'))
  })

  test('a session that is read after the headers are sent is a warning, once', async () => {
    const said: string[] = []
    const logger = { error() {}, warn: (code: string) => void said.push(code) }
    const config = inProcess({ logger })
    const late = (app: Parameters<NonNullable<Parameters<typeof startApp>[2]>>[0]) =>
      app.get('/late', async (req, res) => {
        res.write('begins')
        res.end((await getSession(req, config))?.user?.name)
      })
    const app = await startApp(version, config, late, stops)
    const { cookie } = await signIn(app)
    for (let time = 0; time < 2; time++) {
      const aged = await endedToken(cookie, SECRET)
      const answer = await app.ask('/late', { headers: { cookie: aged } })
      expect([answer.text, answer.cookies]).toEqual(['beginsann', []])
    }
    expect(said).toEqual(['late-cookie'])
  })

  test('a file that has not changed is answered with 304, and is not public', async () => {
    const ask = await agedIn(() => {})
    const { headers } = await ask('/answer/a file')
    const again = await ask('/answer/a file', { 'if-none-match': headers.etag })
    expect(again.status).toBe(304)
    expectPrivate(again)
  })
})
