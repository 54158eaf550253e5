import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type Ask,
  cookieOf,
  form,
  type Running,
  SECRET as SERVICE_SECRET,
} from '../express/support.ts'
import { launchBrowser } from '../support/browser.ts'
import { earlierSignIn, endedToken } from '../support/ended-token.ts'
import {
  FAULTS,
  type FaultyService,
  startFaultyService,
} from '../sveltekit/hostile-app/faulty-service.ts'
import {
  buildHostileApp,
  CANARIES,
  type HostileApp,
  rawly,
  SECRET,
  startHostileApp,
} from '../sveltekit/hostile-app/start.ts'

/**
 * Attacks by name, on an app below the base path `/app` that was built once for Node: as its owner
 * would run it, with a service that can fail, and without AUTH_URL.
 */
let folder: string
let service: FaultyService
/** In process, at the origin of AUTH_URL. */
let app: HostileApp
/** Forwards to a service elsewhere. */
let forwarding: HostileApp
/** An app that does not know its origin. */
let nameless: HostileApp
let browser: Browser
/** Signed out at the service, past `forwarding`. */
let left: string

beforeAll(async () => {
  folder = await buildHostileApp()
  service = await startFaultyService()
  const own = { AUTH_SECRET: SECRET, AUTH_VIDEO_ID: 'key', AUTH_VIDEO_SECRET: 'video-secret-1234' }
  const worker = {
    AUTH_SECRET: SERVICE_SECRET,
    AUTH_URL: '{url}',
    AUTH_WORKER_URL: `${service.url}/app/auth`,
  }
  ;[app, forwarding, nameless, browser] = await Promise.all([
    startHostileApp(folder, { ...own, AUTH_URL: '{url}' }),
    startHostileApp(folder, worker),
    startHostileApp(folder, own),
    launchBrowser(),
  ])
  left = await leaveElsewhere()
})

afterAll(async () => {
  await browser?.close()
  await Promise.all([app, forwarding, nameless, service].map((running) => running?.stop()))
})

describe('an authorization hook', () => {
  test.each([
    '/app/%61uthenticated/secret',
    '/%61pp/authenticated/secret',
    '/app/%61uthenticated/files/[fallback]',
    '/[fallback]/../app/authenticated/secret',
    '/app/authenticated%2Ffiles/x',
    '/app/authenticated%5Cfiles/x',
    '/app/authenticated\\files\\x',
    '/app//authenticated/secret',
    '//app/authenticated/secret',
    '/app/./authenticated/secret',
    '/app/%2e/authenticated/secret',
    '/app/about/../authenticated/secret',
    '/app/about/%2e%2e/authenticated/secret',
    '/app/about%2f..%2fauthenticated/secret',
    '/app/Authenticated/secret',
    '/APP/authenticated/secret',
    '/app/authenticated;x=1/secret',
    '/app;/authenticated/secret',
    '/app/authenticated/secret/',
    '/app/authenticated%00/secret',
    '/app/%2561uthenticated/secret',
    '/app/%ff/authenticated/secret',
    '/app/authenticated/secret%',
    '/appauthenticated/secret',
    '/app/authenticated/secret.html',
    '/app/%61uthenticated/secret.html',
    '/app/__data.json/authenticated/secret',
    'http://localhost/app/authenticated/secret',
    `/app/%61uthenticated/files/${'x'.repeat(12_000)}`,
    `${'/'.repeat(4000)}app/%61uthenticated/secret`,
  ])('is not passed with %s', async (path) => {
    const head = `Host: localhost:${app.port}\r\nConnection: close\r\nOrigin: ${app.url}\r\n`
    const requests = [
      `GET ${path} HTTP/1.1\r\n${head}\r\n`,
      `GET ${path} HTTP/1.1\r\n${head}X-Original-URL: /app/about\r\nX-Rewrite-URL: /app/about\r\n\r\n`,
      `GET ${path}/__data.json HTTP/1.1\r\n${head}\r\n`,
      `GET ${path}/__data.json?x-sveltekit-invalidated=001&x-sveltekit-trailing-slash=1 HTTP/1.1\r\n${head}\r\n`,
      `GET ${path}.html__data.json HTTP/1.1\r\n${head}\r\n`,
      `GET ${path}/__route.js HTTP/1.1\r\n${head}\r\n`,
      ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'].map(
        (method) => `${method} ${path} HTTP/1.1\r\n${head}Content-Length: 0\r\n\r\n`,
      ),
      ...['', '?/add', '?/default', '/__data.json'].map(
        (end) =>
          `POST ${path}${end} HTTP/1.1\r\n${head}Content-Type: application/x-www-form-urlencoded\r\nX-SvelteKit-Action: true\r\nContent-Length: 3\r\n\r\na=b`,
      ),
    ]
    const answers = await Promise.all(requests.map((request) => rawly(app.port, request)))
    for (const [index, answer] of answers.entries()) {
      expect(answer).toMatch(/^HTTP\/1\.1 (?:200|204|30[378]|40[0345]|431) /)
      expect([requests[index], answer]).not.toEqual([requests[index], contains('swordfish')])
      // A redirect of the app stays on its own origin.
      const [, location = '/'] = /^location: (.*)$/im.exec(answer) ?? []
      expect(new URL(location, app.url).origin).toBe(app.url)
    }
  })

  test('is not passed by a remote function that claims a path, and a claimed path reaches no auth route', async () => {
    const path = await remotePath()
    for (const claimed of ['/app/authenticated/secret', '/app/auth/session', '/app/auth/signout']) {
      for (const method of ['GET', 'POST']) {
        const answer = await app.ask(path, {
          method,
          headers: { origin: app.url, 'x-sveltekit-pathname': claimed, 'x-sveltekit-search': '' },
        })
        expect(answer.text).not.toContain('swordfish')
        expect(answer.cookies).toEqual([])
      }
    }
    const headers = { 'x-sveltekit-pathname': '/app/about', 'x-sveltekit-search': '' }
    const nobody = await app.ask(path, { headers })
    expect(nobody.text).toContain('It is nobody')
    const { cookie } = await signIn(app, 'ada')
    const ada = await app.ask(path, { headers: { ...headers, cookie } })
    expect([ada.text.includes('It is ada'), ada.headers['cache-control']]).toEqual([
      true,
      'private, no-store',
    ])
  })

  test('lets a signed-in person through, which shows that the attacks above had something to gain', async () => {
    const headers = { cookie: (await signIn(app, 'ada')).cookie }
    for (const path of ['secret', 'secret/__data.json', 'files/x'])
      expect((await app.ask(`/app/authenticated/${path}`, { headers })).text).toContain('swordfish')
    const done = await post(app, '/app/authenticated/secret?/add', { a: 'b' }, headers)
    expect([done.status, done.text.includes('swordfish')]).toEqual([200, true])
  })
})

describe('open redirects', () => {
  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\t//evil.example',
    '////evil.example',
    '/./\\evil.example',
    'https:/evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '{url}@evil.example/',
    '{url}.evil.example/',
    '{url}\\@evil.example/',
    '/\r\nset-cookie: evil=1',
    '/%0d%0aset-cookie:evil=1',
    '/\u0000',
    '\u2028//evil.example',
  ])('redirectTo=%j leads to no other site, and adds no header', async (text) => {
    const redirectTo = text.replace('{url}', app.url)
    const outcomes = [
      (await signIn(app, 'ada', { redirectTo })).answer,
      await post(app, '/app/signin', { providerId: 'credentials', username: 'x', redirectTo }),
      await post(app, '/app/signin', { redirectTo }),
      await post(app, '/app/signout', { redirectTo }),
    ]
    for (const { headers, cookies } of outcomes) {
      expect(new URL(headers.location ?? '/', app.url).origin).toBe(app.url)
      expect(cookies.join()).not.toContain('evil')
    }
    const page = await app.ask(
      `/app/auth/signin?${new URLSearchParams({ callbackUrl: redirectTo, error: redirectTo })}`,
    )
    expect(page.text).not.toMatch(/(?:href|action|value)="(?:\w+:)?[\\/]{2}[^/"]*evil\.example/)
  })

  test('a Referer of another site leads nowhere', async () => {
    for (const referer of [
      'https://evil.example/x',
      '//evil.example',
      'javascript:alert(1)',
      `${app.url}@evil.example/`,
    ]) {
      const fields = { providerId: 'credentials', username: 'ada', password: 'lovelace' }
      const { headers } = await post(app, '/app/signin', fields, { referer })
      expect([referer, headers.location]).toEqual([referer, `${app.url}/app/`])
    }
  })

  test('parameters for the provider change nothing that protects the flow', async () => {
    const params = {
      redirect_uri: 'https://evil.example',
      client_id: 'evil',
      client_key: 'evil',
      state: 'evil',
      response_type: 'token',
      response_mode: 'evil',
      code_challenge: 'evil',
      code_challenge_method: 'plain',
      scope: 'evil',
      nonce: 'evil',
      callbackUrl: 'https://evil.example',
    }
    const named = Object.entries(params).map(([name, value]) => [
      `authorizationParams-${name}`,
      value,
    ])
    const answer = await post(app, '/app/signin', {
      providerId: 'videoapp',
      'authorizationParams-login_hint': 'ada',
      ...Object.fromEntries(named),
    })
    const { searchParams } = new URL(answer.headers.location ?? '')
    expect(searchParams.get('login_hint')).toBe('ada')
    expect(searchParams.get('redirect_uri')).toBe(`${app.url}/app/auth/callback/videoapp`)
    expect(searchParams.toString()).not.toMatch(/evil|response_type=token|plain/)
  })
})

describe('forged requests, with Kit’s own csrf check off', () => {
  const senders: Record<string, (url: string) => Record<string, string | string[]>> = {
    'another site': () => ({ origin: 'https://evil.example' }),
    'a page without an origin': () => ({ origin: 'null' }),
    'a request without an origin': () => ({}),
    'another site, by Sec-Fetch-Site': (url) => ({ origin: url, 'sec-fetch-site': 'cross-site' }),
    'a neighbour': (url) => ({ origin: url, 'sec-fetch-site': 'same-site' }),
    'two origins': (url) => ({ origin: [url, 'https://evil.example'] }),
    'two words on the site': (url) => ({
      origin: url,
      'sec-fetch-site': ['same-origin', 'cross-site'],
    }),
    'a script of another site': () => ({
      origin: 'https://evil.example',
      'x-sveltekit-action': 'true',
    }),
  }
  test.each(Object.keys(senders))('%s signs no user in or out', async (sender) => {
    const victim = await signIn(app, 'ada')
    const bodies = {
      'application/x-www-form-urlencoded': 'providerId=credentials&username=m&password=lovelace',
      'multipart/form-data; boundary=x': multipart({
        providerId: 'credentials',
        username: 'm',
        password: 'lovelace',
      }),
      'text/plain': 'providerId=credentials&username=m&password=lovelace',
      'application/json': '{"providerId":"credentials","username":"m","password":"lovelace"}',
    }
    for (const [type, body] of Object.entries(bodies)) {
      for (const path of [
        '/app/signin',
        '/app/signout',
        '/app/auth/signout',
        '/app/auth/callback/credentials',
        '/app/auth/signin/videoapp',
        '/app/auth/session',
        '/app/auth/sessions/revoke',
      ]) {
        const headers = {
          'content-type': type,
          cookie: victim.cookie,
          ...senders[sender]?.(app.url),
        }
        const answer = await app.ask(path, { method: 'POST', headers, body })
        expect(answer.cookies.join()).not.toContain('session-token')
        if (answer.status < 400)
          expect([path, answer.headers.location]).toEqual([path, contains('error=MissingCSRF')])
      }
    }
    expect(await who(app, victim.cookie)).toBe('ada')
  })

  test('the csrf token of another browser is refused', async () => {
    const mine = await app.ask('/app/auth/csrf')
    const theirs = await app.ask('/app/auth/csrf')
    const { csrfToken } = JSON.parse(mine.text) as { csrfToken: string }
    const fields = { csrfToken, username: 'mallory', password: 'lovelace' }
    const answer = await post(app, '/app/auth/callback/credentials', fields, {
      cookie: cookieOf(theirs),
    })
    expect(answer.headers.location).toContain('error=MissingCSRF')
    expect(answer.cookies.join()).not.toContain('session-token')
  })
})

describe('many requests at once', () => {
  test('share nothing: sessions, cookies and configs of four tenants', async () => {
    const tenants = ['one', 'two', 'three', 'four']
    const people = await Promise.all(
      tenants.flatMap((tenant) =>
        ['ada', 'grace', 'edsger'].map(async (name) => {
          const headers = { 'x-tenant': tenant }
          return { name, tenant, ...(await signIn(app, name, {}, headers)) }
        }),
      ),
    )
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const person = people[index % people.length]
        if (!person) return
        const { name, tenant, cookie } = person
        const hasEnded = index % 3 === 0
        const sent = hasEnded ? await endedToken(cookie, `${SECRET}-${tenant}`) : cookie
        const path = `/app/who?wait=${index % 20}`
        if (index % 5 === 0) {
          const signal = AbortSignal.timeout(index % 7)
          await fetch(app.url + path, {
            headers: { cookie: sent, 'x-tenant': tenant },
            signal,
          }).catch(() => {})
        }
        const answer = await app.ask(path, { headers: { cookie: sent, 'x-tenant': tenant } })
        expect(JSON.parse(answer.text).name).toBe(name)
        expect(answer.cookies).toHaveLength(hasEnded ? 1 : 0)
        const other = tenants[(tenants.indexOf(tenant) + 1 + (index % 3)) % 4] ?? ''
        expect(await who(app, cookie, { 'x-tenant': other })).toBe(null)
        const list = await app.ask('/app/auth/providers', { headers: { 'x-tenant': other } })
        expect(JSON.parse(list.text).credentials.name).toBe(`Password of ${other}`)
      }),
    )
  })

  test('with one ended token each get a good cookie, and sign no user out', async () => {
    const old = await endedToken((await signIn(app, 'ada')).cookie, `${SECRET}-one`)
    const views = await Promise.all(
      Array.from({ length: 20 }, () => app.ask('/app/members', { headers: { cookie: old } })),
    )
    for (const { status, cookies, text } of views) {
      expect([status, text.includes('swordfish'), cookies.length]).toEqual([200, true, 1])
      expect(await who(app, cookies[0]?.split(';')[0] ?? '')).toBe('ada')
    }
  })

  test('renew no session that is signed out at the same time', async () => {
    const { cookie } = await signIn(app, 'ada')
    const old = await endedToken(cookie, `${SECRET}-one`)
    const view = () => app.ask('/app/members', { headers: { cookie: old } })
    const views = Array.from({ length: 8 }, view)
    const out = await post(app, '/app/signout', {}, { cookie: old })
    expect([
      out.status,
      out.cookies.some((line) => /session-token=;.*Max-Age=0/i.test(line)),
    ]).toEqual([303, true])
    const all = [...(await Promise.all(views)), await view()]
    for (const { cookies } of all)
      for (const line of cookies) expect(await who(app, line.split(';')[0] ?? '')).toBe(null)
    expect([await who(app, old), await who(app, cookie)]).toEqual([null, null])
  })
})

describe('a page that needs a fresh sign-in', () => {
  const page = '/app/auth/signin?maxAge=300&callbackUrl=/app/payout'

  /** Ada, with a sign-in of this age, in seconds. */
  async function adaAfter(seconds: number): Promise<string> {
    return earlierSignIn((await signIn(app, 'ada')).cookie, `${SECRET}-one`, seconds)
  }

  test('shows itself only after a recent sign-in, also as data', async () => {
    for (const cookie of [await adaAfter(400), '']) {
      const seen = await app.ask('/app/payout', { headers: { cookie } })
      expect([seen.status, seen.headers.location]).toEqual([303, page])
      const data = await app.ask('/app/payout/__data.json', { headers: { cookie } })
      expect(JSON.parse(data.text)).toMatchObject({ type: 'redirect', location: page })
      for (const { text } of [seen, data]) expect(text).not.toMatch(/how much|weakly/)
    }
    const seen = await app.ask('/app/payout', { headers: { cookie: await adaAfter(200) } })
    expect([seen.status, seen.headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(seen.text).toContain('how much weakly')
  })

  test('does nothing with a form of another user, and its form is not sent again', async () => {
    const stale = await post(app, '/app/payout', { to: 'bo' }, { cookie: await adaAfter(400) })
    expect([stale.status, stale.headers.location]).toEqual([303, page])
    const paid = await post(app, '/app/payout', { to: 'bo' }, { cookie: await adaAfter(200) })
    expect([paid.status, paid.text.includes('paid weakly')]).toEqual([200, true])
  })

  test('comes after the service’s page, below the app’s own base path', async () => {
    const cookie = await adaAfter(400)
    const shown = await app.ask(page, { headers: { cookie } })
    expect([shown.status, shown.text.includes(`value="${app.url}/app/payout"`)]).toEqual([
      200,
      true,
    ])
    const fresh = await app.ask(page, { headers: { cookie: await adaAfter(200) } })
    expect([fresh.status, fresh.headers.location]).toEqual([302, `${app.url}/app/payout`])
  })
})

describe('caches', () => {
  test('store no answer that depends on a session, and none that sets a cookie', async () => {
    const { cookie, answer } = await signIn(app, 'ada')
    const old = await endedToken(cookie, `${SECRET}-one`)
    const answers = [
      answer,
      await app.ask('/app/auth/session', { headers: { cookie } }),
      await app.ask('/app/auth/csrf'),
      ...(await Promise.all(
        ['members', 'members/__data.json', 'authenticated/secret', 'broken', 'who'].flatMap(
          (path) => [
            app.ask(`/app/${path}`, { headers: { cookie } }),
            app.ask(`/app/${path}`, { headers: { cookie: old } }),
            app.ask(`/app/${path}`, { headers: { cookie: 'auth.session-token=x' } }),
          ],
        ),
      )),
      await post(app, '/app/signout', {}, { cookie }),
    ]
    for (const { status, headers, cookies, text } of answers) {
      // A redirect that a hook throws is Kit's own: no cache stores a 303 without explicit headers.
      if (status === 303 && cookies.length === 0) continue
      const isRefused = /"type":"redirect"/.test(text)
      expect([status, headers['cache-control']]).toEqual([
        status,
        isRefused ? contains('no-store') : 'private, no-store',
      ])
      const names = cookies.map((line) => line.split('=')[0])
      expect(names).toEqual([...new Set(names)])
    }
  })

  test('may store a prerendered page: for every request it has no session and sets no cookie', async () => {
    const { cookie } = await signIn(app, 'ada')
    const old = await endedToken(cookie, `${SECRET}-one`)
    for (const headers of [{}, { cookie }, { cookie: old }]) {
      const { status, cookies, text } = await app.ask('/app/about', { headers })
      expect([status, cookies, text.includes('ada')]).toEqual([200, [], false])
    }
  })

  test('a page that reads the session after its answer has begun sets no cookie', async () => {
    const { cookie } = await signIn(app, 'ada')
    const old = await endedToken(cookie, `${SECRET}-one`)
    const late = await fetch(`${app.url}/app/streamed`, { headers: { cookie: old } })
    expect((await app.ask('/app/streamed/go')).status).toBe(204)
    expect([late.status, late.headers.getSetCookie()]).toEqual([200, []])
    expect(await late.text()).toContain('"ada"')
    expect(await who(app, old)).toBe('ada')
  })
})

describe('a service that fails', () => {
  /** An ended token, which the service fails to renew. */
  let failed: string

  test.each(Object.keys(FAULTS) as (keyof typeof FAULTS)[])(
    '(it %s) signs no user in or out, and ends no process',
    async (fault) => {
      const { cookie } = await signIn(forwarding, 'zoe', { password: 'right' })
      const old = await endedToken(cookie, SERVICE_SECRET)
      service.fault = fault
      try {
        expect([await who(forwarding, cookie), await who(forwarding, '')]).toEqual(['zoe', null])
        for (const path of ['who', 'members', 'members/__data.json', 'authenticated/secret']) {
          const answer = await forwarding.ask(`/app/${path}`, { headers: { cookie: old } })
          // In the data of a page Kit puts the status inside.
          const { status } = path.endsWith('.json') ? dataError(answer) : answer
          expect([path, status, answer.cookies]).toEqual([path, 503, []])
          expect(answer.text).not.toMatch(/zoe|swordfish|trace/)
        }
        for (const [path, fields] of [
          ['/app/signin', { providerId: 'credentials', username: 'zoe', password: 'right' }],
          ['/app/signout', {}],
        ] as const) {
          const answer = await post(forwarding, path, fields, { cookie })
          expect([path, answer.cookies]).toEqual([path, []])
          expect([502, 503]).toContain(answer.status)
          expect(answer.text).not.toMatch(/trace/)
        }
        const route = forwarding.ask('/app/auth/session', { headers: { cookie } })
        const { cookies } = await route.catch(() => ({ cookies: [] }))
        expect(cookies).toEqual([])
      } finally {
        service.fault = undefined
      }
      expect(await who(forwarding, cookie)).toBe('zoe')
      failed = old
    },
  )

  test('renews again once the service works', async () => {
    const status = async () =>
      (await forwarding.ask('/app/members', { headers: { cookie: failed } })).status
    await expect.poll(status, { interval: 250 }).toBe(200)
  })

  test('hides an end only for a while: a session that was ended there is soon over here', async () => {
    const view = async () => {
      const headers = { cookie: left }
      return (await forwarding.ask('/app/members', { headers })).status
    }
    // The session package's tests hold the 15 seconds with a stopped clock.
    await expect.poll(view, { interval: 250 }).toBe(303)
    expect(await who(forwarding, left)).toBe(null)
  })
})

describe('the app’s origin', () => {
  test.each(['evil.example', 'app.example:443@evil.example', 'localhost.evil.example'])(
    'the untrusted Host %s reaches no auth route, action or session',
    async (host) => {
      const { cookie } = await signIn(nameless, 'ada')
      expect(cookie).toContain('__Host-auth.session-token')
      expect(await who(nameless, cookie)).toBe('ada')
      const answers = [
        await nameless.ask('/app/auth/providers', { headers: { host } }),
        await nameless.ask('/app/auth/signin', { headers: { host } }),
        await post(nameless, '/app/signin', {}, { host, 'sec-fetch-site': 'same-origin' }),
      ]
      for (const { status, cookies, text } of answers) {
        expect([status, cookies]).toEqual([400, []])
        expect(text).not.toContain('evil')
      }
      const seen = await nameless.ask('/app/who', { headers: { host, cookie } })
      expect(seen.text).not.toContain('"ada"')
    },
  )

  test('X-Forwarded-* and similar headers of a client are ignored', async () => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      'x-forwarded-port': '666',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=http',
      'x-host': 'evil.example',
      'x-original-host': 'evil.example',
    }
    for (const [running, origin] of [
      [app, app.url],
      [forwarding, forwarding.url],
      [nameless, nameless.url.replace('http:', 'https:')],
    ] as const) {
      const list = await running.ask('/app/auth/providers', { headers })
      expect(list.text).not.toMatch(/evil|666/)
      expect(list.text).toContain(`${origin}/app/auth/callback/credentials`)
      const host = { host: 'evil.example' }
      if (running === nameless) continue
      // AUTH_URL decides the origin, whatever Host the request has.
      const poisoned = await running.ask('/app/auth/providers', {
        headers: { ...headers, ...host },
      })
      expect(poisoned.text).not.toContain('evil')
    }
  })

  test('failed passwords are counted for one client, whatever address it claims', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 11; count++) {
      const address = `192.0.2.${count}`
      const headers = {
        'cf-connecting-ip': address,
        'x-forwarded-for': address,
        'x-real-ip': address,
      }
      const fields = { providerId: 'credentials', username: 'eve', password: 'guess' }
      const answer = await post(nameless, '/app/signin', fields, headers)
      statuses.push(answer.status)
      if (count === 10) expect(answer.text).toContain('rate_limited')
    }
    expect(new Set(statuses)).toEqual(new Set([400]))
  })
})

describe('forms', () => {
  test('add nothing to headers by ids, fields, or the code of an error', async () => {
    const evil = 'x\r\nset-cookie: evil=1'
    const fields = { providerId: 'credentials', username: 'ada', password: 'header' }
    const answers = [
      await post(app, '/app/signin', fields),
      await post(app, '/app/signin', { ...fields, redirect: 'false' }),
      await post(app, '/app/signin', { providerId: evil }),
      await post(app, '/app/signin', { providerId: '../session?x=/' }),
      await post(app, '/app/signin', {
        ...fields,
        password: 'lovelace',
        username: evil,
        [evil]: evil,
      }),
      await post(app, '/app/signin', {
        providerId: 'videoapp',
        [`authorizationParams-${evil}`]: evil,
      }),
      await app.ask(`/app/auth/error?error=${encodeURIComponent(evil)}`),
      await app.ask(`/app/auth/callback/${encodeURIComponent(evil)}?code=1`),
    ]
    for (const { status, cookies, headers } of answers) {
      expect(status).toBeLessThan(500)
      expect(cookies.filter((line) => !line.startsWith('auth.'))).toEqual([])
      expect(JSON.stringify(headers)).not.toContain('evil=1"')
    }
  })

  test.each<[string, Pick<Ask, 'body'> & { readonly type?: string }, readonly number[]]>([
    [
      '__proto__',
      { body: 'providerId=credentials&__proto__=x&__proto__[a]=b&constructor=y' },
      [400],
    ],
    ['a provider named __proto__', { body: 'providerId=__proto__&toString=1' }, [303]],
    [
      'a file',
      { type: 'multipart/form-data; boundary=x', body: multipart({ 'a"; filename="a': 'x' }) },
      [400],
    ],
    ['two values', { body: 'providerId=credentials&username=ada&username=eve' }, [400]],
    ['more than 64 KiB', { body: `providerId=credentials&a=${'x'.repeat(70_000)}` }, [413]],
    ['more than Kit reads', { body: `providerId=credentials&a=${'x'.repeat(600_000)}` }, [413]],
    ['parts without an end', { type: 'multipart/form-data; boundary=x', body: '--x\r\nno' }, [400]],
    [
      'no bytes of UTF-8',
      { body: Buffer.from('providerId=credentials&username=\xff\xfe', 'latin1') },
      [400],
    ],
    ['no body', { body: '' }, [303]],
  ])('with %s are not a 500', async (_, { body, type }, statuses) => {
    const headers = { 'content-type': type ?? 'application/x-www-form-urlencoded', ...own(app) }
    const answer = await app.ask('/app/signin', { method: 'POST', headers, ...(body && { body }) })
    expect(statuses).toContain(answer.status)
    expect(answer.cookies.join()).not.toContain('session-token')
  })
})

describe('secrets', () => {
  test('values of the build’s environment are in no built file, and server code is not in the client', async () => {
    const built = await filesOf(folder)
    expect(built.length).toBeGreaterThan(20)
    for (const [path, text] of built) {
      for (const canary of Object.values(CANARIES))
        expect([path, text.includes(canary)]).toEqual([path, false])
      if (!path.includes('/client/')) continue
      expect([path, /oauth4webapi|hono|AUTH_SECRET|only-the-server/.test(text)]).toEqual([
        path,
        false,
      ])
    }
  })

  test('are on no error page', async () => {
    const { cookie } = await signIn(app, 'ada')
    const fields = { providerId: 'credentials', username: 'ada', password: 'throw' }
    const answers = [
      await app.ask('/app/broken', { headers: { cookie } }),
      await app.ask('/app/broken/__data.json', { headers: { cookie } }),
      await app.ask('/app/', { headers: { cookie, 'x-fail': '1' } }),
      await post(app, '/app/signin', fields),
      await app.ask('/app/auth/callback/videoapp?code=secret-code&state=x'),
    ]
    for (const { text, headers } of answers)
      expect(text + JSON.stringify(headers)).not.toMatch(
        /0123456789|only-the-server|video-secret|secret-code|eyJ/,
      )
  })

  test('cookies, tokens and passwords are not printed, and no rejection is unhandled', async () => {
    const printed = () => [app, forwarding, nameless].flatMap((running) => running.printed)
    await expect.poll(() => printed().join('\n')).toContain('handleError of app for ada')
    const bad = printed().filter((line) =>
      /UNHANDLED|eyJ|lovelace|0123456789|video-secret|secret-code|csrf-token/.test(line),
    )
    // The app's own error quotes a secret; its handleError does not print it.
    expect(bad).toEqual([])
  })
})

describe('in a browser', () => {
  test('names, error words and addresses run no script and send no form elsewhere', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const ran: string[] = []
    page.on('dialog', (dialog) => {
      ran.push(dialog.message())
      return dialog.dismiss()
    })
    const script = '</script><img src=x onerror="alert(1)"><script>alert(2)</script>'
    await page.goto(`${app.url}/app/signin`)
    const { cookie } = await signIn(app, script)
    await context.addCookies(cookiesFor(cookie, app.url))
    await page.goto(`${app.url}/app/members`)
    expect(await page.locator('h1').textContent()).toBe(`swordfish for ${script}`)
    for (const path of ['/app/auth/account', '/app/auth/signout']) await page.goto(app.url + path)
    for (const target of [
      'javascript:alert(3)',
      '\\evil.example',
      '\t//evil.example',
      '//evil.example',
      '\u0001/\\evil.example',
    ]) {
      const query = {
        error: script,
        code: script,
        provider: target,
        page: target,
        redirectTo: target,
      }
      await page.goto(`${app.url}/app/signin?${new URLSearchParams(query)}`)
      await page.waitForLoadState('networkidle')
      const actions = await page
        .locator('form')
        .evaluateAll((forms) =>
          forms.map(
            (form) =>
              new URL((form as HTMLFormElement).getAttribute('action') ?? '', document.baseURI)
                .origin,
          ),
        )
      expect([target, actions]).toEqual([target, [app.url]])
      await page.goto(`${app.url}/app/auth/signin?${new URLSearchParams(query)}`)
      await page.goto(`${app.url}/app/auth/error?${new URLSearchParams(query)}`)
    }
    expect(ran).toEqual([])
    await context.close()
  })

  test('a hostile message to the other tabs does no harm', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (fault) => faults.push(String(fault)))
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto(`${app.url}/app/about`)
    await page.waitForLoadState('networkidle')
    await page.evaluate(() => {
      let heard = 0
      new BroadcastChannel('latchkey').onmessage = () => {
        document.documentElement.dataset.heard = String(++heard)
      }
    })
    const { length } = requests
    const other = await context.newPage()
    await other.goto(`${app.url}/app/auth/csrf`)
    await other.evaluate(() => {
      const channel = new BroadcastChannel('latchkey')
      const words = [
        null,
        'changed',
        { url: 'https://evil.example' },
        { __proto__: { a: 1 } },
        new Error('x'),
      ]
      for (const word of words) channel.postMessage(word)
      channel.postMessage({ type: 'signOut', location: 'javascript:alert(1)' })
    })
    await page.waitForFunction(() => document.documentElement.dataset.heard === '6')
    await page.waitForLoadState('networkidle')
    expect([page.url(), faults]).toEqual([`${app.url}/app/about`, []])
    for (const url of requests.slice(length)) expect(url.startsWith(`${app.url}/app/`)).toBe(true)
    await context.close()
  })
})

const contains = (text: string) => expect.stringContaining(text)

/** The headers that a browser sends with a form of the app itself. */
const own = (running: Running) => ({
  origin: running === nameless ? running.url.replace('http:', 'https:') : running.url,
  'sec-fetch-site': 'same-origin',
  accept: 'text/html',
})

function post(
  running: Running,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = form(fields)
  return running.ask(path, { ...sent, headers: { ...sent.headers, ...own(running), ...headers } })
}

async function signIn(
  running: Running,
  username: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<{ answer: Answer; cookie: string }> {
  const all = { providerId: 'credentials', username, password: 'lovelace', ...fields }
  const answer = await post(running, '/app/signin', all, headers)
  expect([answer.status, answer.cookies.join()]).toEqual([303, contains('session-token=ey')])
  return { answer, cookie: cookieOf(answer) }
}

async function who(running: Running, cookie: string, headers: Record<string, string> = {}) {
  const { text } = await running.ask('/app/who', { headers: { cookie, ...headers } })
  return (JSON.parse(text) as { name: string | null }).name
}

/** A session of `forwarding` that was ended at the service, past the app. */
async function leaveElsewhere(): Promise<string> {
  const { cookie } = await signIn(forwarding, 'bo', { password: 'right' })
  expect(await who(forwarding, cookie)).toBe('bo')
  const host = new URL(forwarding.url).host
  const headers = { host, 'x-forwarded-host': host, 'x-forwarded-proto': 'http', cookie }
  const { sound } = service
  const csrf = await sound.ask('/app/auth/csrf', { headers })
  const { csrfToken } = JSON.parse(csrf.text) as { csrfToken: string }
  const sent = form({ csrfToken })
  const answer = await sound.ask('/app/auth/signout', {
    ...sent,
    headers: { ...headers, ...sent.headers, origin: forwarding.url },
  })
  expect(answer.cookies.join()).toMatch(/session-token=;/)
  return cookie
}

/** The error in the data of a page. */
function dataError({ text }: Answer): { readonly status?: number } {
  const { nodes } = JSON.parse(text) as { nodes: ({ error?: { status: number } } | null)[] }
  return nodes.find((node) => node?.error)?.error ?? {}
}

function multipart(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return `${parts.join('')}--x--`
}

/** The address of the app's remote function, read from its client code. */
async function remotePath(): Promise<string> {
  const texts = (await filesOf(join(folder, 'client'))).map(([, text]) => text).join()
  const [id = 'none'] = /[a-z0-9]+\/whoami/.exec(texts) ?? []
  return `/app/_app/remote/${id}`
}

async function filesOf(dir: string): Promise<[path: string, text: string][]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    paths.map(async (path): Promise<[string, string]> => [path, await readFile(path, 'utf8')]),
  )
}

function cookiesFor(cookie: string, url: string) {
  return cookie.split('; ').map((pair) => {
    const at = pair.indexOf('=')
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url }
  })
}
