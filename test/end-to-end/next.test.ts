import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type Ask,
  cookieOf,
  SECRET as SERVICE_SECRET,
  signIn,
} from '../express/support.ts'
import { type BuiltApp, buildNextApp, type NextApp, startNextApp } from '../next/apps.ts'
import { testInABrowser } from '../next/in-a-browser.ts'
import { launchBrowser } from '../support/browser.ts'
import { earlierSignIn, endedToken } from '../support/ended-token.ts'
import {
  FAULTS,
  type FaultyService,
  startFaultyService,
} from '../sveltekit/hostile-app/faulty-service.ts'
import { rawly } from '../sveltekit/hostile-app/start.ts'

/**
 * Attacks by name, and bad luck, on an app of Next 16 as its owner builds and starts it: in process,
 * and with a service that can fail.
 */
const SECRET = 'a-secret-of-the-next-tests-0123456789ab'
const WORD = 'swordfish'
const base = '/api/auth'

let built: BuiltApp
let service: FaultyService
/** It answers the auth routes. */
let app: NextApp
/** The service answers them. */
let forwarding: NextApp
let browser: Browser

beforeAll(async () => {
  ;[built, service] = await Promise.all([buildNextApp({ source: 'app' }), startFaultyService(base)])
  ;[app, forwarding, browser] = await Promise.all([
    startNextApp(built.folder, { AUTH_SECRET: SECRET }),
    startNextApp(built.folder, {
      AUTH_SECRET: SERVICE_SECRET,
      AUTH_URL: '{url}',
      AUTH_WORKER_URL: service.url + base,
    }),
    launchBrowser(),
  ])
})
afterAll(async () => {
  await browser?.close()
  await Promise.all([app, forwarding, service].map((running) => running?.stop()))
  await built?.remove()
})

/** Somebody's Cookie header after a sign-in. */
async function enter(at: NextApp, username: string): Promise<string> {
  return (await signIn(at, { base, fields: { username } })).cookie
}

const secretOf = (at: NextApp) => (at === app ? SECRET : SERVICE_SECRET)
const ended = (at: NextApp, cookie: string) => endedToken(cookie, secretOf(at))
/** What a browser sends with a request that a script makes. */
const BY_SCRIPT = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const see = (at: NextApp, path: string, cookie: string, headers = {}) =>
  at.ask(path, { headers: { cookie, ...headers } })

/** The text of a page as a person reads it. */
function textOf({ text }: Answer): string {
  return text.replace(/<!--.*?-->|<script.*?<\/script>/gs, '').replace(/<[^>]+>/g, ' ')
}

/** The ids of the app's actions, by their names. */
function actions(): Readonly<Record<string, string>> {
  const file = join(built.folder, '.next/server/server-reference-manifest.json')
  const { node } = JSON.parse(readFileSync(file, 'utf8')) as {
    node: Record<string, { exportedName: string }>
  }
  return Object.fromEntries(
    Object.entries(node).map(([id, { exportedName }]) => [exportedName, id]),
  )
}

describe('the build', () => {
  test('needs no variable, and prints no word about a secret, a store or a service', () => {
    expect(built.printed).not.toMatch(/AUTH_|secret|store|latchkey|warn|error/i)
  })
})

describe('the scripts of a browser', () => {
  /** The scripts of a page, minified and as text. */
  async function scriptsOf(path: string): Promise<ReadonlyMap<string, string>> {
    const { text } = await app.ask(path)
    const files = new Set(text.match(/\/_next\/static\/[^"\\]+\.js/g))
    const pairs = [...files].map(async (file) => [file, (await app.ask(file)).text] as const)
    return new Map(await Promise.all(pairs))
  }
  const weight = (codes: readonly string[]) =>
    codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0)

  test('for a page with useSession alone is 2,300 bytes at most, and nothing for passkeys', async () => {
    const [page, without] = [await scriptsOf('/alone'), await scriptsOf('/alone/without')]
    const own = [...page].flatMap(([file, code]) => (without.has(file) ? [] : [code]))
    const others = [...without].flatMap(([file, code]) => (page.has(file) ? [] : [code]))
    expect(own.join()).toContain('BroadcastChannel')
    expect(own.join()).not.toContain('parseCreationOptionsFromJSON')
    expect(weight(own) - weight(others)).toBeLessThanOrEqual(2_300)
  })
})

describe('a page that the proxy guards', () => {
  /** Words of Next and of proxies, by which a request could pass for one that was looked at before. */
  const DISGUISES: Readonly<Record<string, string>> = {
    none: '',
    'a request for data': 'RSC: 1',
    'a prefetch': 'RSC: 1\r\nNext-Router-Prefetch: 1',
    'a prefetch of a segment':
      'RSC: 1\r\nNext-Router-Prefetch: 1\r\nNext-Router-Segment-Prefetch: /guarded/__PAGE__',
    'a request inside the proxy':
      'x-middleware-subrequest: proxy:proxy:proxy:proxy:proxy, middleware:middleware:middleware:middleware:middleware',
    'a request inside the source folder':
      'x-middleware-subrequest: src/middleware:src/middleware:src/middleware:src/middleware:src/middleware',
    'a request that went on':
      'x-middleware-next: 1\r\nx-middleware-invoke: 1\r\nx-middleware-subrequest-id: 1',
    'a rewritten request':
      'x-middleware-rewrite: /guarded\r\nx-original-url: /static\r\nx-rewrite-url: /static',
    'a request of Next itself':
      'x-invoke-path: /guarded\r\nx-invoke-status: 200\r\nx-matched-path: /guarded\r\nx-now-route-matches: 1=x',
    'data of the Pages Router': 'x-nextjs-data: 1',
    'a request that tells its path': 'x-latchkey-path: /static\r\nx-forwarded-path: /static',
    'another host': 'x-forwarded-host: evil.example\r\nx-forwarded-proto: https',
    'a session of nobody': 'cookie: auth.session-token=x; __Host-auth.session-token=y',
    'a draft': 'cookie: __prerender_bypass=1; __next_preview_data=1',
  }

  const SPELLINGS = [
    '/guarded',
    '/guarded?_rsc',
    '/guarded/static?_rsc',
    '/guarded?callbackUrl=/static',
    '/guarded/',
    '/guarded.rsc',
    '/guarded.txt',
    '/guarded.html',
    '/guarded.json',
    '/guarded.prefetch.rsc',
    '/guarded.segments/_tree.segment.rsc',
    '/guarded.segments/guarded/__PAGE__.segment.rsc',
    '/guarded/static',
    '/guarded/static.rsc',
    '/guarded/static.html',
    '/guarded/static.segments/_full.segment.rsc',
    '/guarded/static/__PAGE__',
    '/_next/data/{build}/guarded.json',
    '/_next/data/{build}/guarded/static.json',
    '/_next/data/{build}/guarded/static.rsc',
    '/_next/static/../../guarded',
    '/_next/static/%2e%2e/%2e%2e/guarded',
    '/_next/static/..%2f..%2fguarded',
    '/_next/image/../../guarded',
    '/%67uarded',
    '/%67uarded/static',
    '/%2567uarded',
    '/guarded%2Fstatic',
    '/guarded%5Cstatic',
    '/guarded\\static',
    '//guarded',
    '///guarded/static',
    '/guarded//static',
    '/guarded/deep//x',
    '/./guarded',
    '/%2e/guarded',
    '/static/../guarded',
    '/static/%2e%2e/guarded',
    '/unproxied/../guarded',
    '/unproxied/%2e%2e/guarded/static',
    '/unproxied%2f..%2fguarded',
    '/guarded/deep/unproxied',
    '/guarded/deep/_next/static/x',
    '/guarded/deep/x.png',
    '/Guarded/static',
    '/GUARDED',
    '/guarded;x=1',
    '/guarded%00',
    '/guarded%0a',
    '/guarded%',
    '/%ff/guarded',
    '/en/guarded',
    '/index/guarded',
    '/(x)/guarded',
    '/@x/guarded',
    '/(.)guarded',
    'http://localhost/guarded',
    'http://evil.example/guarded',
    `/guarded/deep/${'x'.repeat(9000)}`,
    `${'/'.repeat(3000)}guarded`,
  ]

  test.each(SPELLINGS)('shows to nobody: %s', async (spelling) => {
    const build = readFileSync(join(built.folder, '.next/BUILD_ID'), 'utf8')
    const path = spelling.replace('{build}', build)
    const host = `Host: localhost:${app.port}\r\nConnection: close\r\n`
    const requests = Object.entries(DISGUISES).flatMap(([name, lines]) => {
      const head = `${path} HTTP/1.1\r\n${host}${lines === '' ? '' : `${lines}\r\n`}`
      return [
        [name, `GET ${head}\r\n`],
        [name, `POST ${head}Origin: ${app.url}\r\nContent-Length: 0\r\n\r\n`],
      ]
    })
    for (const [name, request = ''] of requests) {
      const answer = await rawly(app.port, request)
      expect([name, answer]).not.toEqual([name, expect.stringContaining(WORD)])
      expect([name, answer.slice(0, 13)]).toEqual([
        name,
        expect.stringMatching(/^HTTP\/1\.1 (?:200|30[278]|40[01345]|431)/),
      ])
      const [, location = '/'] = /^location: (.*)$/im.exec(answer) ?? []
      // Next leads a request for a whole address to that address itself.
      expect(path.startsWith('http') || new URL(location, app.url).origin).toBe(
        path.startsWith('http') || app.url,
      )
    }
  })

  test('shows to a user, which shows that the attacks had something to gain', async () => {
    const cookie = await enter(app, 'ada')
    for (const path of ['/guarded', '/guarded/static', '/guarded/deep/x', '/members']) {
      for (const [asked, headers] of [
        [path, {}],
        [`${path}?_rsc`, { rsc: '1' }],
      ] as const) {
        const { status, text } = await see(app, asked, cookie, headers)
        expect([asked, status, text.includes(WORD)]).toEqual([asked, 200, true])
      }
    }
  })

  test('answers the router’s request for data with 401, and a page with the way to the sign-in page', async () => {
    const data = await see(app, '/guarded?_rsc', '', { rsc: '1', ...BY_SCRIPT })
    expect([data.status, data.text]).toEqual([401, '{"error":"SessionRequired"}'])
    const page = await see(app, '/guarded?a=b', '', { accept: 'text/html' })
    expect([page.status, page.headers.location]).toEqual([
      302,
      `${base}/signin?callbackUrl=%2Fguarded%3Fa%3Db`,
    ])
  })
})

describe('a page that asks for itself', () => {
  test.each([
    ['/members', {}],
    ['/members', { rsc: '1' }],
    ['/members', { rsc: '1', 'next-router-prefetch': '1' }],
    ['/members.rsc', { rsc: '1' }],
    ['/members', { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy' }],
    ['/members/data', {}],
    ['/members/data', { 'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy' }],
    ['/fresh', {}],
  ])('shows nothing to nobody: %s %j', async (path, headers) => {
    const { status, text, cookies } = await see(app, path, '', headers)
    expect(text).not.toContain(WORD)
    expect(cookies).toEqual([])
    expect([200, 302, 307, 401, 404]).toContain(status)
  })

  test('a route handler answers 401, and a page leads back to itself', async () => {
    const data = await see(app, '/members/data', '', { accept: 'application/json' })
    expect([data.status, data.text]).toEqual([401, '{"error":"SessionRequired"}'])
    const page = await see(app, '/members?a=b', '', { accept: 'text/html' })
    expect([page.status, page.headers.location]).toEqual([
      307,
      `${app.url}${base}/signin?callbackUrl=%2Fmembers%3Fa%3Db`,
    ])
    const early = await earlierSignIn(await enter(app, 'ada'), SECRET, 400)
    const old = await see(app, '/fresh', early)
    expect(old.headers.location).toBe(`${app.url}${base}/signin?maxAge=300&callbackUrl=%2Ffresh`)
  })

  test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', '/\u00e4'])(
    'the header of the proxy, if a client sends %j, leads nowhere else',
    async (told) => {
      const sent = Buffer.from(told).toString('latin1')
      for (const path of ['/members', '/fresh']) {
        const { headers } = await see(app, path, '', { 'x-latchkey-path': sent })
        const { origin, searchParams } = new URL(headers.location ?? '')
        expect([origin, searchParams.get('callbackUrl')]).toEqual([app.url, path])
      }
    },
  )
})

describe('an action', () => {
  const SENDERS: Readonly<Record<string, Record<string, string>>> = {
    'another site': { origin: 'https://evil.example' },
    'another site that is named as the host': {
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
    },
    'a page without an origin': { origin: 'null' },
    'a request without an origin': {},
    'another site, by Sec-Fetch-Site': { origin: '{url}', 'sec-fetch-site': 'cross-site' },
    'a neighbor': { origin: '{url}', 'sec-fetch-site': 'same-site' },
  }

  /** The ways in which Next takes the call of an action. */
  function calls(): Ask[] {
    const { enter = '', enterHere = '', leave = '', leaveHere = '', rename = '' } = actions()
    const form = (id: string, fields: Record<string, string>): Ask => {
      const body = new FormData()
      for (const [name, value] of Object.entries({ [`$ACTION_ID_${id}`]: '', ...fields }))
        body.append(name, value)
      return multipart(body)
    }
    const script = (id: string, args: unknown[], type = 'text/plain;charset=UTF-8'): Ask => ({
      headers: { 'next-action': id, 'content-type': type, accept: 'text/x-component' },
      body: JSON.stringify(args),
    })
    return [
      form(enter, { username: 'mallory', password: 'right' }),
      form(leave, {}),
      script(enterHere, ['mallory']),
      script(enterHere, ['mallory'], 'application/json'),
      script(leaveHere, []),
      script(rename, ['Mallory']),
    ]
  }

  function multipart(body: FormData): Ask {
    const lines = [...body].map(
      ([name, value]) =>
        `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    return {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: `${lines.join('')}--x--\r\n`,
    }
  }

  const post = (call: Ask, headers: Record<string, string>) =>
    app.ask('/unproxied', { method: 'POST', ...call, headers: { ...call.headers, ...headers } })

  test.each(Object.keys(SENDERS))(
    'by %s signs no user in or out, and renames no user',
    async (sender) => {
      const cookie = await enter(app, 'ada')
      const headers = Object.fromEntries(
        Object.entries(SENDERS[sender] ?? {}).map(([name, text]) => [
          name,
          text.replace('{url}', app.url),
        ]),
      )
      for (const call of calls()) {
        const answer = await post(call, { ...headers, cookie })
        expect(answer.cookies).toEqual([])
        expect(answer.status).toBeGreaterThanOrEqual(400)
      }
      expect((await see(app, '/who', cookie)).text).toBe('{"name":"ada"}')
    },
  )

  test('by the app itself does what it says, which shows that the attacks had something to gain', async () => {
    const cookie = await enter(app, 'ada')
    const names = []
    for (const call of calls()) {
      const { status, cookies, headers } = await post(call, { origin: app.url, cookie })
      expect(headers['cache-control']).toMatch(/private|no-store/)
      names.push([status, cookies.filter((line) => line.includes('session-token')).length])
    }
    expect(names).toEqual([[303, 1], [303, 1], [200, 1], [200, 1], [200, 1], expect.anything()])
  })

  test('without a session gets nothing from one that asks for itself, wherever it is called', async () => {
    const { askTheAction = '' } = actions()
    const headers = { 'next-action': askTheAction, origin: app.url }
    for (const path of ['/unproxied', '/', '/static', '/client', '/guarded', '/_not-found']) {
      const { text } = await app.ask(path, { method: 'POST', headers, body: '[]' })
      expect([path, text]).not.toEqual([path, expect.stringContaining(WORD)])
    }
    const cookie = await enter(app, 'ada')
    const own = await app.ask('/unproxied', {
      method: 'POST',
      headers: { ...headers, cookie },
      body: '[]',
    })
    expect(own.text).toContain(`${WORD} for ada`)
  })
})

describe('a renewal', () => {
  test('is one cookie by the proxy, and one call for proxy and page together', async () => {
    const old = await ended(forwarding, await enter(forwarding, 'zoe'))
    for (const path of ['/', '/members', '/places', '/streams', '/who', '/wrapped']) {
      service.asked.length = 0
      const answer = await see(forwarding, path, old)
      const renewed = answer.cookies.filter((line) => line.includes('session-token'))
      expect([path, answer.status, textOf(answer).includes('zoe'), renewed.length]).toEqual([
        path,
        200,
        true,
        1,
      ])
      expect([path, service.asked.filter((line) => line.includes('/session'))]).toEqual([
        path,
        [expect.any(String)],
      ])
      expect(answer.headers['cache-control']).toBe('private, no-store')
      const fresh = renewed[0]?.split(';')[0] ?? ''
      service.asked.length = 0
      expect((await see(forwarding, path, fresh)).cookies.join()).not.toContain('session-token')
      expect(service.asked).toEqual([])
    }
  })

  test('is a call without a cookie for a page that the proxy leaves out', async () => {
    const old = await ended(forwarding, await enter(forwarding, 'zoe'))
    for (let times = 0; times < 2; times++) {
      const answer = await see(forwarding, '/unproxied', old)
      expect([textOf(answer), answer.cookies]).toEqual([
        expect.stringMatching(/Unproxied,\s+zoe/),
        [],
      ])
    }
  })

  test('puts no cookie into a cache: every answer with one is private', async () => {
    const cookie = await enter(app, 'ada')
    const old = await ended(app, cookie)
    const paths = ['/', '/static', '/client', '/guarded', '/guarded/static', '/members', '/who']
    for (const path of [...paths, '/wrapped', '/streams', '/unproxied', `${base}/session`]) {
      for (const sent of [cookie, old, 'auth.session-token=x', '']) {
        for (const headers of [{}, { rsc: '1' }, { rsc: '1', 'next-router-prefetch': '1' }]) {
          const answer = await see(app, path, sent, headers)
          const names = answer.cookies.map((line) => line.split('=')[0])
          expect(names).toEqual([...new Set(names)])
          if (names.length > 0) expect(answer.headers['cache-control']).toBe('private, no-store')
        }
      }
    }
  })

  test('is kept beside a redirect, a missing page and an error of the app’s handler', async () => {
    const old = await ended(app, await enter(app, 'ada'))
    for (const [how, status] of [
      ['redirect', 307],
      ['missing', 404],
      ['error', 500],
    ] as const) {
      const answer = await see(app, `/wrapped?how=${how}`, old)
      const names = answer.cookies.map((line) => line.split('=')[0])
      expect([how, answer.status, names]).toEqual([
        how,
        status,
        expect.arrayContaining(['auth.session-token']),
      ])
    }
  })

  test('is kept, and by no cache, beside what a handler throws that no proxy has seen', async () => {
    const old = await ended(app, await enter(app, 'ada'))
    for (const [how, status, location] of [
      ['redirect', 307, '/static'],
      ['moved', 308, '/static'],
      ['missing', 404, undefined],
    ] as const) {
      const answer = await see(app, `/unproxied/wrapped?how=${how}`, old)
      const names = answer.cookies.map((line) => line.split('=')[0]).toSorted()
      expect([how, answer.status, answer.headers.location, names]).toEqual([
        how,
        status,
        location,
        ['auth.session-token', 'mine'],
      ])
      expect(answer.headers['cache-control']).toBe('private, no-store')
    }
  })

  test('signs no user out with twenty requests at once', async () => {
    const old = await ended(app, await enter(app, 'ada'))
    const views = await Promise.all(Array.from({ length: 20 }, () => see(app, '/members', old)))
    for (const answer of views) {
      expect([answer.status, answer.cookies.length]).toEqual([200, 1])
      expect((await see(app, '/who', cookieOf(answer))).text).toBe('{"name":"ada"}')
    }
  })
})

describe('many users at once', () => {
  test('share nothing, in components that wait, with good and ended tokens', async () => {
    const names = ['ada', 'grace', 'edsger', 'barbara']
    const users = await Promise.all(
      names.map(async (name) => {
        const cookie = await enter(app, name)
        return { name, sent: [cookie, await ended(app, cookie)] }
      }),
    )
    await Promise.all(
      Array.from({ length: 80 }, async (_, index) => {
        const { name, sent } = users[index % 4] as (typeof users)[number]
        const cookie = sent[(index >> 2) % 2] ?? ''
        if (index % 10 === 9) {
          const signal = AbortSignal.timeout(index % 7)
          const headers = { cookie }
          await fetch(`${app.url}/streams?wait=20`, { headers, signal }).catch(() => {})
        }
        const answer = await see(app, `/streams?wait=${index % 20}`, cookie)
        const seen = answer.text.match(/<b>\w+/g)
        expect(seen).toEqual(Array(3).fill(`<b>${name}`))
        expect(answer.cookies).toHaveLength((index >> 2) % 2)
        if (answer.cookies.length > 0) {
          expect((await see(app, '/who', cookieOf(answer))).text).toBe(`{"name":"${name}"}`)
        }
      }),
    )
  })

  test('one is the same in the metadata, the layout, the page and after the answer', async () => {
    const answer = await see(app, '/places', await enter(app, 'grace'))
    expect(answer.text).toContain('<title>Title of grace</title>')
    expect(textOf(answer)).toMatch(/grace\s+grace\s+once/)
    const nobody = await see(app, '/places', '')
    expect(textOf(nobody)).toMatch(/Title of nobody/)
    await expect.poll(() => app.printed.filter((line) => line.startsWith('after:'))).toHaveLength(2)
  })
})

describe('the end of a session', () => {
  test('is known to the routes, the proxy, pages and handlers of one process', async () => {
    const cookie = await enter(app, 'ada')
    const { csrfToken } = JSON.parse((await see(app, `${base}/csrf`, cookie)).text)
    const done = await app.ask(`${base}/signout`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ csrfToken }).toString(),
    })
    expect(done.cookies.join()).toMatch(/session-token=;/)
    for (const sent of [await ended(app, cookie), cookie]) {
      expect((await see(app, '/who', sent)).text).toBe('{"name":null}')
      for (const path of ['/guarded', '/members', '/unproxied', '/static']) {
        const answer = await see(app, path, sent)
        expect([path, textOf(answer)]).not.toEqual([
          path,
          expect.stringMatching(new RegExp(`${WORD}|ada`)),
        ])
      }
    }
  })
})

describe('a service that fails', () => {
  test.each(Object.keys(FAULTS) as (keyof typeof FAULTS)[])(
    '(it %s) lets nobody in, signs nobody out, and ends no process',
    async (fault) => {
      const cookie = await enter(forwarding, 'zoe')
      const old = await ended(forwarding, cookie)
      service.fault = fault
      try {
        for (const path of ['/', '/guarded', '/members', '/members/data', '/who', '/wrapped']) {
          const answer = await see(forwarding, path, old)
          expect([path, answer.status, answer.headers['retry-after'], answer.cookies]).toEqual([
            path,
            503,
            '5',
            [],
          ])
          expect(answer.text).not.toMatch(/zoe|swordfish|trace/)
          const fresh = await see(forwarding, path, cookie)
          expect([path, fresh.status]).toEqual([path, 200])
        }
        const page = await see(forwarding, '/unproxied', old)
        expect([page.status, page.cookies, /zoe|trace/.test(textOf(page))]).toEqual([
          500,
          [],
          false,
        ])
      } finally {
        service.fault = undefined
      }
    },
  )
})

describe('in a browser', () => testInABrowser(() => ({ app, browser, secret: SECRET })))
