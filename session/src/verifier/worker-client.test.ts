import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WorkerClient } from './worker-client.js'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  vi.useRealTimers()
})

/** A client of a service on this machine, over real connections. */
async function clientOf(answer: RequestListener): Promise<WorkerClient> {
  const started = createServer(answer)
  server = started
  await new Promise<void>((listening) => started.listen(0, '127.0.0.1', listening))
  const address = `http://127.0.0.1:${(started.address() as AddressInfo).port}/auth`
  return new WorkerClient({ address, issuer: 'https://app.example/auth', now: Date.now })
}

const ask = (client: WorkerClient) =>
  client.fetchSession('https://app.example/auth', 'auth.session-token=x', false)

test('a request names the origin that the service answers for, and carries one cookie', async () => {
  let seen: unknown
  const client = await clientOf(({ url, method, headers }, answer) => {
    seen = [method, url, headers.cookie, headers['x-forwarded-host'], headers['x-forwarded-proto']]
    answer.setHeader('set-cookie', ['a=1; Path=/', 'b=2']).end('{"expires":"x","user":{}}')
  })
  expect(await ask(client)).toEqual({ expires: 'x', setCookie: ['a=1; Path=/', 'b=2'] })
  expect(seen).toEqual(['GET', '/auth/session', 'auth.session-token=x', 'app.example', 'https'])
})

test.each([301, 302, 303, 307, 308])('a redirect with %d is not followed', async (status) => {
  const paths: unknown[] = []
  const client = await clientOf(({ url, headers }, answer) => {
    paths.push(url)
    const location = `http://${headers.host}/elsewhere`
    if (url === '/elsewhere') answer.end('{"expires":"x"}')
    else answer.writeHead(status, { location }).end()
  })
  await expect(ask(client)).rejects.toThrow(`answered /session with status ${status}.`)
  expect(paths).toEqual(['/auth/session'])
})

test('a body without an end is given up at the limit', async () => {
  const client = await clientOf((_, answer) => {
    const more = () => {
      while (!answer.destroyed && answer.write('x'.repeat(65_536)));
    }
    answer.on('drain', more)
    more()
  })
  await expect(ask(client)).rejects.toThrow('answered /session with something else.')
  await expect(client.fetchKeys()).rejects.toThrow('answered /jwks.json with something else.')
  await expect(client.fetchFeed(undefined, 5_000)).rejects.toThrow('/revocations with something')
})

test('a compressed body is measured as it is unpacked', async () => {
  const { gzipSync } = await import('node:zlib')
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '))
  const client = await clientOf((_, answer) => {
    answer.setHeader('content-encoding', 'gzip').end(bomb)
  })
  await expect(ask(client)).rejects.toThrow('answered /session with something else.')
})

test('a body that trickles is given up in time, and its connection is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const isClosed = vi.fn()
  const client = await clientOf((request, answer) => {
    request.on('close', isClosed)
    answer.write(' ')
  })
  const reading = ask(client)
  await new Promise((resolve) => server?.once('request', resolve))
  vi.advanceTimersByTime(5_000)
  await expect(reading).rejects.toThrow('did not answer within 5 s.')
  await expect.poll(() => isClosed).toHaveBeenCalled()
})

test('a service that does not listen is unavailable', async () => {
  const client = await clientOf(() => {})
  await new Promise((closed) => server?.close(closed))
  await expect(ask(client)).rejects.toThrow('cannot be reached (ECONNREFUSED).')
})

test('a connection that breaks off is unavailable', async () => {
  const client = await clientOf((_, answer) => {
    answer.writeHead(200, { 'content-length': 100 }).write('{')
    answer.destroy()
  })
  await expect(ask(client)).rejects.toThrow(/cannot be reached \(\w+\)\.$/)
})
