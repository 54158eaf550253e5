import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { AuthRequest } from '../../../http/request.js'
import { composeService } from '../../../service/compose-service.js'
import { memoryStore } from '../../../stores/memory.js'
import { configWith, origin } from '../../../test-support/browser.js'
import { findOpenApp } from '../find-app.js'
import { authorizationServer } from '../index.js'

const { pass, takeTimers } = clock({ start: Date.UTC(2026, 10, 1) })

const url = 'https://app.example.com/client.json'
const document = {
  client_id: url,
  redirect_uris: ['https://app.example.com/cb'],
  client_name: 'Notes',
}

type Answer = (input: string, init: RequestInit) => Response | Promise<Response>

const json = (body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { headers })

/** A service with an open resource, and the web in front of it. */
async function world(respond: Answer = () => json(document), { isOpen = true, env = {} } = {}) {
  const asked: { url: string; init: RequestInit }[] = []
  const lines: string[] = []
  const state = { respond }
  const fetch = (async (input: string, init: RequestInit) => {
    asked.push({ url: input, init })
    return state.respond(input, init)
  }) as unknown as typeof globalThis.fetch
  const resources = { 'https://api.example.com/': { open: isOpen } }
  const apps = { spa: { redirectUris: ['https://spa.example.com/cb'] } }
  const config = configWith({
    features: [authorizationServer({ resources, apps, fetch })],
    logger: { error() {}, warn: (code, detail) => void lines.push(`${code}: ${detail}`) },
  })
  const parts = await composeService(config, { env, fallbackStore: memoryStore })
  const find = (id = url, sub = 'ada', at = origin) => {
    const request = new Request(`${at}/auth/oauth/authorize`)
    return findOpenApp(new AuthRequest(request, request.url, parts, at, () => {}), id, sub)
  }
  return { asked, lines, find, state }
}

describe('an app of a metadata document', () => {
  it('is kept for its issuer, also if each request makes a configuration with a fetch of its own', async () => {
    let asked = 0
    const store = memoryStore()
    const around = { env: {}, revocations: new WeakMap() }
    const find = async (at: string) => {
      const fetch = (async () => {
        asked++
        return json(document)
      }) as unknown as typeof globalThis.fetch
      const features = [
        authorizationServer({ resources: { 'https://api.example.com/': { open: true } }, fetch }),
      ]
      const parts = await composeService(configWith({ features, store }), around)
      const request = new Request(`${at}/auth/oauth/authorize`)
      return findOpenApp(new AuthRequest(request, request.url, parts, at, () => {}), url, 'ada')
    }
    for (let time = 0; time < 3; time++) expect(await find(origin)).toMatchObject({ id: url })
    expect(asked).toBe(1)
    await find('https://other.example')
    expect(asked).toBe(2)
  })

  it('is fetched by GET, without cookies, credentials or a redirect, for JSON', async () => {
    const { asked, find, lines } = await world()
    expect(await find()).toEqual({
      ...{ id: url, name: 'Notes', host: 'app.example.com', secrets: [], alg: 'ES256' },
      ...{ redirectUris: document.redirect_uris, isFirstParty: false, isDevice: false },
    })
    expect(asked.map((one) => one.url)).toEqual([url])
    const { init } = asked[0] ?? {}
    expect([init?.method ?? 'GET', init?.body, init?.redirect]).toEqual([
      'GET',
      undefined,
      'manual',
    ])
    const headers = [...new Headers(init?.headers as HeadersInit)]
    expect(headers).toEqual([
      ['accept', 'application/json'],
      ['user-agent', 'Latchkey'],
    ])
    expect(lines).toEqual([])
  })

  it('is kept for everyone by its Cache-Control, five minutes at least and a day at most', async () => {
    const { asked, find, state } = await world(() =>
      json(document, { 'cache-control': 'max-age=600' }),
    )
    await find()
    pass(599)
    await find(url, 'bob')
    expect(asked).toHaveLength(1)
    pass(2)
    state.respond = () =>
      json({ ...document, client_name: 'Changed' }, { 'cache-control': 'no-store' })
    expect((await find())?.name).toBe('Changed')
    pass(299)
    await find()
    expect(asked).toHaveLength(2)
    pass(2)
    state.respond = () => json(document, { 'cache-control': 'max-age=31536000' })
    await find()
    pass(86_399)
    await find()
    expect(asked).toHaveLength(3)
    pass(2)
    await find()
    expect(asked).toHaveLength(4)
  })

  it('is not kept if it cannot be used, and a failure does not outlive it', async () => {
    const { asked, find, state } = await world(() => new Response(null, { status: 503 }))
    expect(await find()).toBeUndefined()
    state.respond = () => json(document)
    expect(await find()).toBeDefined()
    expect(asked).toHaveLength(2)
    pass(301)
    state.respond = () => new Response(null, { status: 503 })
    // The earlier document is not used any more: it may have been changed for a reason.
    expect(await find()).toBeUndefined()
  })

  it('attack: a changed document does not count longer than its Cache-Control says', async () => {
    const { find, state } = await world()
    await find()
    state.respond = () => json({ ...document, redirect_uris: ['https://app.example.com/new'] })
    expect((await find())?.redirectUris).toEqual(document.redirect_uris)
    pass(301)
    expect((await find())?.redirectUris).toEqual(['https://app.example.com/new'])
  })

  it('is one of a hundred that an isolate keeps', async () => {
    const { asked, find } = await world((input) => json({ ...document, client_id: input }))
    for (let at = 0; at <= 100; at++) await find(`${url}/${at}`, `person-${at}`)
    await find(`${url}/100`)
    expect(asked).toHaveLength(101)
    await find(`${url}/0`)
    expect(asked).toHaveLength(102)
  })
})

describe('attack: an app is not known, nothing is fetched, and the log says why', () => {
  it.each([
    ['without an open resource', url, { isOpen: false }],
    ['at an address that is not public', 'https://169.254.169.254/latest', {}],
    ['at a name that is not public', 'https://printer.local/client', {}],
    ['at another port', 'https://app.example.com:8443/client.json', {}],
    ['of plain http', 'http://app.example.com/client.json', {}],
    ['without an address', 'unknown', {}],
    [
      'at this service',
      'https://auth.example.com/client',
      { env: { AUTH_URL: 'https://auth.example.com/auth' } },
    ],
  ])('%s', async (_, id, options) => {
    const { asked, find, lines } = await world(undefined, options)
    expect(await find(id)).toBeUndefined()
    expect(asked).toEqual([])
    expect(lines.join('')).not.toContain(id)
    if (!('isOpen' in options)) expect(lines).toHaveLength(1)
  })

  it('at the host of the request', async () => {
    const { asked, find } = await world()
    const id = 'https://preview.example.com/client.json'
    expect(await find(id, 'ada', 'https://preview.example.com')).toBeUndefined()
    expect(asked).toEqual([])
  })

  it('after 60 documents in an hour for one person, and others go on', async () => {
    const { asked, find, lines } = await world((input) => json({ ...document, client_id: input }))
    for (let at = 0; at < 60; at++) expect(await find(`${url}/${at}`)).toBeDefined()
    expect(await find(`${url}/more`)).toBeUndefined()
    expect(asked).toHaveLength(60)
    expect(lines).toEqual([expect.stringMatching(/^client-document: .*60 documents/)])
    // A kept document costs nothing.
    expect(await find(`${url}/59`)).toBeDefined()
    expect(await find(`${url}/more`, 'bob')).toBeDefined()
    pass(3_601)
    expect(await find(`${url}/other`)).toBeDefined()
  })
})

describe('attack: an app is not known, and the log says why, if its server', () => {
  const cases: readonly (readonly [string, Answer, RegExp])[] = [
    ['redirects', () => Response.redirect('https://169.254.169.254/'), /redirect/],
    [
      'redirects for good',
      () => new Response(null, { status: 308, headers: { location: url } }),
      /redirect/,
    ],
    ['has no such page', () => new Response('x', { status: 404 }), /status/],
    [
      'answers a page',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      /Content-Type/,
    ],
    [
      'names another app',
      () => json({ ...document, client_id: 'https://bank.example/client' }),
      /client_id/,
    ],
    [
      'answers 10,241 bytes',
      () => json({ ...document, x: 'x'.repeat(10_240) }),
      /longer than 10240/,
    ],
    [
      'cannot be reached',
      () => Promise.reject(new Error('connect ECONNREFUSED 10.1.2.3:443')),
      /could not be fetched/,
    ],
  ]

  it.each(cases)('%s', async (_, respond, says) => {
    const { find, lines } = await world(respond)
    expect(await find()).toBeUndefined()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^client-document: The app of app\.example\.com is not known\. /)
    expect(lines[0]).toMatch(says)
    expect(lines[0]).not.toMatch(/10\.1\.2\.3|bank|169\.254|https:/)
  })

  it.each<[string, Answer]>([
    ['is silent', () => new Promise(() => {})],
    [
      'sends its document byte by byte',
      () =>
        new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), {
          headers: { 'content-type': 'application/json' },
        }),
    ],
  ])('%s for five seconds', async (_, respond) => {
    const { asked, find, lines } = await world(respond)
    takeTimers()
    const finding = find()
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await finding).toBeUndefined()
    expect(lines[0]).toMatch(/5 seconds/)
    expect(asked[0]?.init.signal?.aborted).toBe(true)
  })
})
