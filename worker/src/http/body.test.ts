import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { BadRequest } from '../lib/bad-request.js'
import { Browser, configWith, origin } from '../test-support/browser.js'
import { readBody } from './body.js'

const { takeTimers, advance } = clock()

const FORM = 'application/x-www-form-urlencoded'
const KIB_64 = 64 * 1024

function requestOf(body: BodyInit | null, type?: string): Request {
  const headers = type === undefined ? [] : ([['content-type', type]] as [string, string][])
  // A stream needs `duplex`, which the types of this platform do not know.
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const request = new Request(origin, init)
  if (type === undefined) request.headers.delete('content-type')
  return request
}

async function statusOf(body: BodyInit | null, type?: string): Promise<number> {
  try {
    await readBody(requestOf(body, type))
    return 200
  } catch (error) {
    if (error instanceof BadRequest) return error.status
    throw error
  }
}

/** A body that comes in pieces, without a length, and that counts how much was read. */
function chunked(pieces: number, size = 1024) {
  const sent = { pieces: 0, cancelled: false }
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent.pieces === pieces) return controller.close()
      sent.pieces++
      controller.enqueue(new Uint8Array(size).fill(0x61))
    },
    cancel() {
      sent.cancelled = true
    },
  })
  return { stream, sent }
}

describe('media types', () => {
  it.each([
    FORM,
    'Application/X-WWW-Form-URLencoded',
    `${FORM}; charset=UTF-8`,
    `  ${FORM} ;charset=utf-8`,
  ])('%s is a form', async (type) => {
    expect(await readBody(requestOf('a=1', type))).toEqual({ a: '1' })
  })

  it.each(['application/json', 'APPLICATION/JSON', 'application/json;charset=utf-8'])(
    '%s is JSON',
    async (type) => {
      expect(await readBody(requestOf('{"a":1}', type))).toEqual({ a: 1 })
    },
  )

  it.each([
    undefined,
    '',
    'text/plain',
    'text/plain;application/json',
    'multipart/form-data; boundary=x',
    'application/json+x',
    'application/xml',
    'application/x-www-form-urlencodedx',
    'application/json,text/plain',
  ])('%s is answered with 415', async (type) => {
    expect(await statusOf('{"a":1}', type)).toBe(415)
  })
})

describe('size', () => {
  it('exactly 64 KiB is read, one byte more is 413', async () => {
    expect(await statusOf(`a=${'x'.repeat(KIB_64 - 2)}`, FORM)).toBe(200)
    expect(await statusOf(`a=${'x'.repeat(KIB_64 - 1)}`, FORM)).toBe(413)
  })

  it('bytes count, not characters', async () => {
    expect(await statusOf(`a=${'é'.repeat(KIB_64 / 2)}`, FORM)).toBe(413)
  })

  it('an endless chunked body without a length is 413, and its rest is not read', async () => {
    const { stream, sent } = chunked(Number.POSITIVE_INFINITY)
    expect(await statusOf(stream, FORM)).toBe(413)
    expect(sent.pieces).toBeLessThan(70)
    expect(sent.cancelled).toBe(true)
  })

  it('a chunked body below the limit is read', async () => {
    expect(await statusOf(chunked(3).stream, FORM)).toBe(200)
  })
})

describe('a body that says it is too long', () => {
  it('is 413 before anything of it is read', async () => {
    const { stream, sent } = chunked(10)
    const request = requestOf(stream, FORM)
    request.headers.set('content-length', '5000000')
    await expect(readBody(request)).rejects.toMatchObject({ status: 413 })
    expect(sent.cancelled).toBe(false)
    expect(request.bodyUsed).toBe(false)
  })

  it.each(['x', '-1', '', '64'])('a length of %j says nothing: the bytes count', async (length) => {
    const request = requestOf('a=1', FORM)
    request.headers.set('content-length', length)
    expect(await readBody(request)).toEqual({ a: '1' })
  })
})

describe('slow request bodies (Slowloris)', () => {
  it('one byte a second is ended after fifteen seconds, with 408', async () => {
    takeTimers()
    let sent = 0
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        sent++
        if (!isCancelled) controller.enqueue(Uint8Array.of(0x61))
      },
      cancel() {
        isCancelled = true
      },
    })
    const status = statusOf(stream, FORM)
    await advance(14_900)
    expect(isCancelled).toBe(false)
    await advance(200)
    expect(await status).toBe(408)
    expect(isCancelled).toBe(true)
    expect(sent).toBeLessThan(17)
  })

  it('a body that takes ten seconds is read', async () => {
    takeTimers()
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 10_000))
        controller.enqueue(new TextEncoder().encode('a=1'))
        controller.close()
      },
    })
    const status = statusOf(stream, FORM)
    await advance(10_000)
    expect(await status).toBe(200)
  })
})

describe('malformed bodies', () => {
  it.each([
    ['invalid UTF-8', new Uint8Array([0x61, 0x3d, 0xff, 0xfe]), FORM],
    ['an overlong encoding of a slash', new Uint8Array([0x61, 0x3d, 0xc0, 0xaf]), FORM],
    ['a field sent twice', 'csrfToken=a&csrfToken=b', FORM],
    ['a field sent twice, once encoded', 'a=1&%61=2', FORM],
    ['an array', '[{"a":1}]', 'application/json'],
    ['null', 'null', 'application/json'],
    ['a string', '"a"', 'application/json'],
    ['a number', '1', 'application/json'],
    ['nothing', '', 'application/json'],
    ['half of it', '{"a":', 'application/json'],
    ['two values', '{}{}', 'application/json'],
    [
      'nesting that would exhaust a stack',
      `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      'application/json',
    ],
    ['nested objects', `{"a":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`, 'application/json'],
  ])('%s is answered with 400', async (_, body, type) => {
    expect(await statusOf(body, type)).toBe(400)
  })

  it('a form without a body has no fields', async () => {
    expect(await readBody(requestOf(null, FORM))).toEqual({})
  })

  it('ordinary nesting passes', async () => {
    const body = '{"data":{"a":[{"b":[1,{"c":null}]}]}}'
    expect(JSON.stringify(await readBody(requestOf(body, 'application/json')))).toBe(body)
  })
})

describe('prototype pollution', () => {
  it.each([
    ['{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}', 'application/json'],
    ['__proto__=polluted&constructor=x', FORM],
  ])('%s reaches no prototype', async (body, type) => {
    const fields = await readBody(requestOf(body, type))
    expect(Object.getPrototypeOf(fields)).toBeNull()
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
    expect(Object.keys(fields)).toContain('__proto__')
  })

  it.each([
    '{"data":{"__proto__":{"isAdmin":true}}}',
    '{"data":{"a":[{"b":{"__proto__":1}}]}}',
    '{"data":{"\\u005f_proto__":null}}',
    '{"data":{"constructor":{"prototype":{"isAdmin":true}}}}',
  ])('nested, it is refused at any depth: %s', async (body) => {
    expect(await statusOf(body, 'application/json')).toBe(400)
  })

  it('a word that is also a member’s name passes', async () => {
    const body = '{"data":{"constructor":"Ferrari","a":{"prototype":1,"proto":2}}}'
    expect(await statusOf(body, 'application/json')).toBe(200)
  })

  it('a member that objects inherit is absent unless it was sent', async () => {
    const fields = await readBody(requestOf('a=1', FORM))
    expect(fields.toString).toBeUndefined()
    expect(await statusOf('toString=1', FORM)).toBe(200)
  })
})

describe('at the routes', () => {
  const routes = [
    '/auth/signin/fake',
    '/auth/signout',
    '/auth/session',
    '/auth/callback/credentials',
  ]
  const config = configWith({
    providers: [
      {
        id: 'credentials',
        name: 'C',
        type: 'credentials',
        credentials: {},
        authorize: () => ({ id: 'ada' }),
      },
    ],
  })

  it.each(routes)('POST %s answers 415, 413 and 400 as what they are', async (path) => {
    const browser = new Browser(config)
    const send = async (body: string, type: string) =>
      (await browser.send(path, { method: 'POST', body, headers: { 'content-type': type } })).status
    expect(await send('x', 'text/plain')).toBe(415)
    expect(await send('x'.repeat(KIB_64 + 1), FORM)).toBe(413)
    expect(await send('[]', 'application/json')).toBe(400)
  })

  it.each([
    ['a member that is not accepted', '{"data":{"__proto__":{"isAdmin":true}}}'],
    ['invalid JSON', '{"data":'],
    ['JSON that is not an object', '[]'],
  ])('JSON with %s is refused in JSON', async (_, body) => {
    const browser = new Browser(config)
    for (const path of routes) {
      const headers = { 'content-type': 'application/json' }
      const answer = await browser.send(path, { method: 'POST', body, headers })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json'])
      const message = expect.stringMatching(/^The body (?:is|has) /)
      expect(await answer.json()).toEqual({ error: 'Configuration', message })
    }
  })

  it('a form that wants JSON back, and one that does not, are refused so', async () => {
    const browser = new Browser(config)
    const send = async (more: object) => {
      const headers = { 'content-type': FORM, ...more }
      const answer = await browser.send('/auth/signout', {
        method: 'POST',
        body: 'a=1&a=2',
        headers,
      })
      return [answer.status, answer.headers.get('content-type')]
    }
    expect(await send({ 'x-auth-return-redirect': '1' })).toEqual([400, 'application/json'])
    expect(await send({})).toEqual([400, 'text/plain; charset=UTF-8'])
  })

  it.each(routes)(
    'POST %s whose body breaks off is 400, and writes no line of the log',
    async (path) => {
      const lines: Error[] = []
      const logger = { error: (error: Error) => void lines.push(error) }
      const browser = new Browser({ ...config, logger })
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('csrfToken=')),
        pull: (controller) => controller.error(new TypeError('terminated')),
      })
      const init = { method: 'POST', body, headers: { 'content-type': FORM }, duplex: 'half' }
      const answer = await browser.send(path, init)
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([
        400,
        'private, no-store',
      ])
      expect(lines).toEqual([])
    },
  )
})
