import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fetchPublic, type Network, publicFetch } from './fetch-on-node.js'

let server: Server
let ca = ''
let port = 0
/** What the server has heard: connections, and the heads of requests. */
let connections = 0
const requests: { method?: string | undefined; url?: string | undefined; headers: object }[] = []
let answer: (response: import('node:http').ServerResponse) => void

beforeAll(async () => {
  const made = await generate([{ name: 'commonName', value: 'app.example.com' }], {
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'app.example.com' }] },
    ],
  })
  ca = made.cert
  server = createServer({ key: made.private, cert: made.cert }, (request, response) => {
    const { method, url, headers } = request
    requests.push({ method, url, headers })
    answer(response)
  })
  server.on('connection', () => connections++)
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
beforeEach(() => {
  connections = 0
  requests.length = 0
  answer = (response) => void response.setHeader('content-type', 'application/json').end('{"a":1}')
})
afterAll(() => void server.close())

const HERE = [{ address: '127.0.0.1', family: 4 }]

/** Names lead to this machine, which counts as public. */
function network(changes: Partial<Network> = {}): Network {
  return {
    lookup: (_name, _options, done) => done(null, HERE),
    isPublic: () => true,
    ca,
    ...changes,
  }
}

const at = (path = '/client.json') => `https://app.example.com:${port}${path}`

describe('a fetch of public addresses', () => {
  it('asks by GET with the given headers, and reads status, headers and body', async () => {
    const response = await publicFetch(network())(at(), { headers: { accept: 'application/json' } })
    expect([response.status, await response.json()]).toEqual([200, { a: 1 }])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(requests).toEqual([
      {
        method: 'GET',
        url: '/client.json',
        headers: {
          accept: 'application/json',
          host: `app.example.com:${port}`,
          connection: 'close',
        },
      },
    ])
  })

  it.each([204, 205, 304])('has no body with status %s', async (status) => {
    answer = (response) => void response.writeHead(status).end()
    const response = await publicFetch(network())(at())
    expect([response.status, await response.text()]).toEqual([status, ''])
  })

  it('sends a form by POST, with its length', async () => {
    const body = new URLSearchParams({ code: 'a b' })
    const type = 'application/x-www-form-urlencoded'
    let heard = ''
    server.once('request', (request) => request.on('data', (part) => (heard += String(part))))
    await publicFetch(network())(at(), { method: 'POST', headers: { 'content-type': type }, body })
    expect(requests[0]).toMatchObject({
      method: 'POST',
      headers: { 'content-type': type, 'content-length': '8' },
    })
    expect(heard).toBe('code=a+b')
    const bytes = publicFetch(network())(at(), { method: 'POST', body: new Uint8Array(1) })
    await expect(bytes).rejects.toThrow('a text or a form')
  })

  it('follows no redirect', async () => {
    answer = (response) => void response.writeHead(302, { location: at('/other') }).end()
    const response = await publicFetch(network())(at())
    expect([response.status, response.headers.get('location')]).toEqual([302, at('/other')])
    expect(requests).toHaveLength(1)
  })

  it('ends when it is aborted', async () => {
    answer = (response) => void response.write('{')
    const controller = new AbortController()
    const response = await publicFetch(network())(at(), { signal: controller.signal })
    controller.abort()
    await expect(response.text()).rejects.toThrow()
  })

  it('refuses a certificate of another name, and one that no authority has signed', async () => {
    const other = `https://other.example.com:${port}/`
    await expect(publicFetch(network())(other)).rejects.toThrow(/altnames|certificate/i)
    await expect(publicFetch({ ...network(), ca: undefined as never })(at())).rejects.toThrow(
      /self.signed/i,
    )
    expect(requests).toEqual([])
  })
})

describe('attack: a name that leads to', () => {
  const system = (addresses: readonly string[]): Partial<Network> => ({
    lookup: (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
  })
  const refused = (changes: Partial<Network>) => {
    const { isPublic: _, ...rest } = network(changes)
    return publicFetch(rest as Network)(at())
  }

  it.each([
    ['this machine', ['127.0.0.1']],
    ['a private network', ['10.0.0.1']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['a public address, and this machine', ['93.184.216.34', '127.0.0.1']],
    ['this machine, and a public address', ['127.0.0.1', '93.184.216.34']],
    ['this machine in IPv6', ['::1']],
    ['this machine, mapped', ['::ffff:127.0.0.1']],
    ['nothing', []],
  ])('%s is not connected to', async (_, addresses) => {
    await expect(refused(system(addresses))).rejects.toMatchObject({ name: 'NotPublic' })
    expect(connections).toBe(0)
  })

  it.each([
    'https://127.0.0.1',
    'https://[::1]',
    'https://[::ffff:127.0.0.1]',
    'https://0x7f.1',
    'https://2130706433',
  ])('no name at all, but this machine itself: %s', async (base) => {
    const own = fetchPublic(`${base}:${port}/`)
    await expect(own).rejects.toMatchObject({ name: 'NotPublic' })
    expect(connections).toBe(0)
  })

  it('this machine, by the system’s own resolver', async () => {
    const own = fetchPublic(`https://localhost:${port}/`)
    await expect(own).rejects.toMatchObject({ name: 'NotPublic' })
    expect(connections).toBe(0)
  })

  it('another address a moment later: it is asked once, and that address is connected to', async () => {
    let asked = 0
    const lookup: Network['lookup'] = (_name, _options, done) => {
      asked++
      done(null, asked === 1 ? HERE : [{ address: '203.0.113.1', family: 4 }])
    }
    await publicFetch(network({ lookup }))(at())
    expect([asked, connections]).toEqual([1, 1])
  })

  it('an address that is another one once it is connected to', async () => {
    let checks = 0
    // The first question is about the answer of the resolver, the second one about the socket.
    const isPublic = () => ++checks === 1
    const asking = publicFetch(network({ isPublic }))(at())
    await expect(asking).rejects.toMatchObject({ name: 'NotPublic' })
    expect(requests).toEqual([])
  })
})
