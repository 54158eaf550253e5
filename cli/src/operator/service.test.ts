import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createPlainServer } from 'node:net'
import { generate } from 'selfsigned'
import { afterEach, describe, expect, test } from 'vitest'
import { Failed, WrongUse } from '../command.js'
import { printable } from '../printable.js'
import { KEY, serverOf } from '../test-support/operator-api.js'
import { serviceOf } from './service.js'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function opened(answer: RequestListener) {
  const server = await serverOf(answer)
  open.push(server.close)
  return server
}

const env = { AUTH_OPERATOR_KEY: KEY }

/** What a call of `method` fails with. */
async function failureAt(base: string, { method = 'listWays', timeout = 10_000 } = {}) {
  const failure = await serviceOf(base, { env }, timeout)
    .call(method, { sub: 'ada' })
    .then(
      (result) => ({ result }),
      (error: unknown) => error,
    )
  expect(failure).toBeInstanceOf(Failed)
  const { error, message } = failure as Failed
  expect(message).not.toContain(KEY)
  expect(printable(message)).toBe(message)
  return { error, message }
}

describe('the service', () => {
  test.each([
    ['https://auth.example.com/auth', 'https://auth.example.com/auth'],
    ['https://auth.example.com/auth/', 'https://auth.example.com/auth'],
    ['https://auth.example.com', 'https://auth.example.com/auth'],
    ['http://localhost:8787/api/auth', 'http://localhost:8787/api/auth'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787/auth'],
  ])('is at %s', (to, base) => {
    expect(serviceOf(to, { env }).base).toBe(base)
    expect(serviceOf(undefined, { env: { ...env, LATCHKEY_URL: to } }).base).toBe(base)
  })

  test.each([
    ['', /Name the service/],
    ['auth.example.com/auth', /must be the address/],
    ['ftp://auth.example.com', /must be the address/],
    ['javascript:alert(1)', /must be the address/],
    ['https://auth.example.com/auth?x=1', /must be the address/],
    ['https://auth.example.com/auth#x', /must be the address/],
    ['https://ada:canary@auth.example.com/auth', /a user name or a password/],
    ['https://ada@auth.example.com/auth', /a user name or a password/],
    ['http://auth.example.com/auth', /must begin with https/],
    ['http://localhost.evil.example/auth', /must begin with https/],
    ['http://127.0.0.2/auth', /must begin with https/],
    ['http://[::1]:8787/auth', /must begin with https/],
    ['http://192.168.0.1/auth', /must begin with https/],
  ])('is not at %s, which is wrong use', (to, message) => {
    const of = () => serviceOf(undefined, { env: { ...env, LATCHKEY_URL: to } })
    expect(of).toThrow(WrongUse)
    expect(of).toThrow(message)
    expect(of).not.toThrow(/canary/)
    if (to !== '') expect(() => serviceOf(to, { env })).toThrow(message)
  })

  test('is the one of LATCHKEY_URL, and that of a variable of apps with a warning', () => {
    const noted: string[] = []
    const note = (text: string) => void noted.push(text)
    const old = { ...env, AUTH_WORKER_URL: 'https://old.example' }
    const both = { ...old, LATCHKEY_URL: 'https://new.example' }
    expect(serviceOf(undefined, { env: both, note }).base).toBe('https://new.example/auth')
    expect(serviceOf('https://to.example', { env: old, note }).base).toBe('https://to.example/auth')
    expect(noted).toEqual([])
    expect(serviceOf(undefined, { env: old, note }).base).toBe('https://old.example/auth')
    expect(noted.join()).toMatch(/set LATCHKEY_URL instead of AUTH_WORKER_URL/)
  })

  test('is the one of --to before the one of the environment', () => {
    const both = { ...env, LATCHKEY_URL: 'https://one.example' }
    expect(serviceOf('https://two.example', { env: both }).base).toBe('https://two.example/auth')
  })
})

test.each([
  [undefined, /Set AUTH_OPERATOR_KEY/],
  ['', /Set AUTH_OPERATOR_KEY/],
  ['canary', /is not a key/],
  [`${KEY}x`, /is not a key/],
  [KEY.slice(1), /is not a key/],
  [`${KEY}\n`, /is not a key/],
  [`night:read:${'0'.repeat(64)}`, /is not a key/],
])('the key %j is wrong use, and is not shown', (key, message) => {
  const of = () => serviceOf('https://auth.example.com', { env: { AUTH_OPERATOR_KEY: key } })
  expect(of).toThrow(WrongUse)
  expect(of).toThrow(message)
  expect(of).not.toThrow(/canary/i)
})

test('attack: a key is not sent where certificates are not checked', () => {
  const unsafe = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  expect(() => serviceOf('https://auth.example.com', { env: unsafe })).toThrow(WrongUse)
})

test('a call sends the members as JSON, and the key as a bearer token', async () => {
  const { base, asked } = await opened((_, response) => response.end('{"result":[1]}'))
  expect(
    await serviceOf(base, { env }).call('endSessions', { sub: 'a/ä', except: undefined }),
  ).toEqual([1])
  expect(asked).toMatchObject([
    {
      path: '/auth/operator/endSessions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: '{"sub":"a/ä"}',
    },
  ])
})

describe('an error of the API keeps its word', () => {
  test.each<[word: string, status: number, body: object, message: RegExp]>([
    ['OperatorKeyRequired', 401, {}, /does not know the key/],
    ['ScopeRequired', 403, { scope: 'manage' }, /operator <name> --manage/],
    ['NotFound', 404, {}, /does not have listWays: it is older/],
    ['BadRequest', 400, { message: 'listWays: sub is missing.' }, /^listWays: sub is missing[.]$/],
    ['Unavailable', 503, {}, /run the same command again/],
    ['TooManyAttempts', 429, {}, /Try again in 42 s/],
    ['TooManyRefreshes', 429, {}, /nothing was done. Try again in 42 s/],
    ['Configuration', 500, {}, /refuses it: Configuration/],
  ])('%s', async (error, status, body, message) => {
    const { base } = await opened((_, response) => {
      response.writeHead(status, { 'retry-after': '42' })
      response.end(JSON.stringify({ error, ...body }))
    })
    const failure = await failureAt(base)
    expect(failure).toEqual({ error, message: expect.stringMatching(message) })
  })

  test('and a message of it is one line, and has no key', async () => {
    const { base } = await opened((_, response) => {
      response.writeHead(400)
      response.end(
        JSON.stringify({
          error: 'BadRequest',
          message: `a\n\u001b[2J\u202e ${KEY} ${'b'.repeat(999)}`,
        }),
      )
    })
    const { message } = await failureAt(base)
    expect(message).toMatch(/^a \ufffd\[2J\ufffd \[key\] b+$/)
    expect(message).toHaveLength(300)
  })

  test.each([
    ['audit', 'AUTH_AUDIT_DAYS'],
    ['resendWebhook', 'AUTH_WEBHOOK_URL'],
  ])('NotFound for %s says that its part is off', async (method, variable) => {
    const { base } = await opened((_, response) => {
      response.writeHead(404)
      response.end('{"error":"NotFound"}')
    })
    expect((await failureAt(base, { method })).message).toContain(variable)
  })
})

describe('attack: an answer that is not of the API', () => {
  const answers: Readonly<Record<string, [answer: RequestListener, message: RegExp]>> = {
    HTML: [
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        response.end('<html>Sign in</html>')
      },
      /\(200, text\/html\).* a proxy or a sign-in page/,
    ],
    nothing: [(_, response) => response.end(), /\(200, no content type\)/],
    'JSON of another kind': [
      (_, response) => response.end('[1]'),
      /does not answer as the service/,
    ],
    'JSON without a result': [
      (_, response) => response.end('{}'),
      /does not answer as the service/,
    ],
    'a word with a status of success': [
      (_, response) => response.end('{"error":"NotFound"}'),
      /does not answer as the service/,
    ],
    'a word with a space': [
      (_, response) => {
        response.writeHead(400)
        response.end(JSON.stringify({ error: 'a\u001b[2J b' }))
      },
      /\(400, no content type\)/,
    ],
    '500 with a type that hides text': [
      (_, response) => {
        response.writeHead(500, { 'content-type': 'a\u00adb'.repeat(99) })
        response.end('x')
      },
      /\(500, a\)/,
    ],
  }

  test.each(Object.entries(answers))('%s', async (_, [answer, message]) => {
    const { base } = await opened(answer)
    const failure = await failureAt(base)
    expect(failure).toEqual({ error: 'Unreachable', message: expect.stringMatching(message) })
  })

  test('404 without a word says that there is no API', async () => {
    const { base } = await opened((_, response) => {
      response.writeHead(404)
      response.end('Not found')
    })
    expect(await failureAt(base)).toEqual({
      error: 'NotFound',
      message: expect.stringMatching(/AUTH_OPERATOR_KEYS/),
    })
  })

  test.each([301, 302, 303, 307, 308])('%i to another host gets no key', async (status) => {
    const other = await opened((_, response) => response.end('{"result":1}'))
    const { base } = await opened((_, response) => {
      response.writeHead(status, { location: `${other.base}/operator/listWays?a=canary` })
      response.end()
    })
    const { error, message } = await failureAt(base)
    expect(error).toBe('Unreachable')
    expect(message).toContain(`redirects to ${new URL(other.base).origin}, and the key was not`)
    expect(message).not.toContain('canary')
    expect(other.asked).toEqual([])
  })

  test('that has no end is cut off', async () => {
    const { base } = await opened((_, response) => {
      const part = Buffer.alloc(1_000_000, ' ')
      const send = () => void (response.destroyed || response.write(part, send))
      send()
    })
    expect((await failureAt(base)).message).toBe('The answer of the service is too long.')
  })

  test.each<[what: string, answer: RequestListener]>([
    ['never begins', () => {}],
    ['stops in the middle', (_, response) => void response.write('{"result":')],
  ])('that %s ends with the time', async (_, answer) => {
    const { base } = await opened(answer)
    const { error, message } = await failureAt(base, { timeout: 100 })
    expect(error).toBe('Unreachable')
    expect(message).toMatch(/did not answer within 0.1 s[.]$/)
  })

  test('after a change it says that the same command may be run again', async () => {
    const { base } = await opened(() => {})
    const { message } = await failureAt(base, { method: 'blockPerson', timeout: 100 })
    expect(message).toMatch(/run the same command again, which does no harm[.]$/)
  })

  test('is a connection that is closed', async () => {
    const { base } = await opened((request) => request.socket.destroy())
    expect(await failureAt(base)).toMatchObject({
      error: 'Unreachable',
      message: expect.stringMatching(/cannot be reached \(\w+\)/),
    })
  })

  test('is another protocol', async () => {
    const server = createPlainServer((socket) => {
      socket.on('error', () => {})
      socket.end('SSH-2.0-OpenSSH_9.6\r\n', () => socket.destroy())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    open.push(() => new Promise((done) => server.close(done)))
    const { port } = server.address() as AddressInfo
    expect(await failureAt(`http://127.0.0.1:${port}`)).toMatchObject({ error: 'Unreachable' })
  })

  test('is a port without a server', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    await new Promise((done) => server.close(done))
    expect(await failureAt(`http://127.0.0.1:${port}`)).toEqual({
      error: 'Unreachable',
      message: `http://127.0.0.1:${port} cannot be reached (ECONNREFUSED): check the address, and if the service runs.`,
    })
  })

  test('a certificate that is not trusted gets no key', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }])
    let asked = 0
    const server = createSecureServer({ cert, key }, (_, response) => {
      asked++
      response.end('{"result":1}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    open.push(() => new Promise((done) => server.close(done)))
    const { port } = server.address() as AddressInfo
    const { error, message } = await failureAt(`https://localhost:${port}`)
    expect(error).toBe('Unreachable')
    expect(message).toMatch(/does not trust the certificate .* so the key was not sent/)
    expect(asked).toBe(0)
  })
})

test('a result that repeats the key does not bring it to the terminal', async () => {
  const { base } = await opened((request, response) =>
    response.end(JSON.stringify({ result: { said: request.headers.authorization } })),
  )
  expect(await serviceOf(base, { env }).call('getPerson', {})).toEqual({ said: 'Bearer [key]' })
})

test('attack: a service repeats the key as escapes of JSON, in a word, or as its content type', async () => {
  const escaped = [...KEY].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const json = JSON.stringify({ result: 'KEY' }).replace('KEY', escaped.join(''))
  const echo = await opened((_, response) => response.end(json))
  expect(await serviceOf(echo.base, { env }).call('getPerson', {})).toBe('[key]')
  const page = await opened((_, response) => {
    response.writeHead(200, { 'content-type': KEY }).end('<h1>')
  })
  await failureAt(page.base)
  const refusal = json.replace('result', 'message').replace('{', '{"error":"BadRequest",')
  const refused = await opened((_, response) => response.writeHead(400).end(refusal))
  expect((await failureAt(refused.base)).message).toContain('[key]')
})
