import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuth } from '../../../index.js'
import { Browser, claimsIn, copyOf, locationOf, origin } from '../../../test-support/browser.js'
import { faulty } from '../../../test-support/faulty.js'
import { claimsOf, clientSecret, issuer } from '../../../test-support/oauth.js'
import { OPTIONS, oauthPeople, requestOn, resource } from '../../../test-support/oauth-people.js'

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const APPS = {
  ...OPTIONS,
  apps: {
    ...OPTIONS.apps,
    tv: { name: 'Telly', device: true },
    box: { name: 'Box', device: true, secret: clientSecret },
  },
}

/** What the endpoints for devices answer. */
type Answer = { readonly status: number } & Readonly<
  Partial<
    Record<
      | 'device_code'
      | 'user_code'
      | 'verification_uri'
      | 'verification_uri_complete'
      | 'error'
      | 'access_token',
      string
    >
  >
>

function devices(changes: Parameters<typeof oauthPeople>[1] = {}) {
  const made = oauthPeople(APPS, changes)
  const send = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    const request = new Request(issuer + path, { method: 'POST', body })
    const response = await made.browser().answer(request)
    const answer = (await response.json()) as Readonly<Record<string, string | undefined>>
    return { ...answer, status: response.status } as Answer
  }
  return {
    ...made,
    start: (fields: Record<string, string> = {}) =>
      send('/oauth/device', { client_id: 'tv', scope: 'openid notes:read', ...fields }),
    poll: (device_code = '', fields: Record<string, string> = {}) =>
      send('/oauth/token', { grant_type: DEVICE_CODE, client_id: 'tv', device_code, ...fields }),
    enter: (one: Browser, user_code = '') => one.submit('/auth/device', { user_code }),
    decideOn: async (one: Browser, page: Response, decision = 'allow') =>
      one.submit('/auth/oauth/consent', { request: requestOn(await page.text()), decision }),
  }
}

let made: ReturnType<typeof devices>
beforeEach(() => {
  made = devices()
})

it('attack: a scope comes back between the page of a device and its decision, so that its person allows what they have not read', async () => {
  const { store } = faulty()
  const now = devices({ store })
  const { 'notes:read': read } = APPS.resources[resource].scopes
  const resources = { [resource]: { ...APPS.resources[resource], scopes: { 'notes:read': read } } }
  const before = oauthPeople({ ...APPS, resources }, { store })
  const ada = await now.signIn('one', 'ada')
  const started = await now.start({ scope: 'notes:read notes:write' })
  const page = await copyOf(ada, before.config).submit('/auth/device', {
    user_code: started.user_code,
  })
  expect(await page.clone().text()).not.toContain('Change your notes')
  expect((await now.decideOn(ada, page)).status).toBe(200)
  const { access_token = '' } = await now.poll(started.device_code)
  expect(claimsOf(access_token).scope).toBe('notes:read')
})

it('a device asks, its person allows it elsewhere, and it gets its tokens once', async () => {
  const ada = await made.signIn('one', 'ada')
  const started = await made.start()
  expect(started).toEqual({
    status: 200,
    device_code: expect.any(String),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${issuer}/device`,
    verification_uri_complete: `${issuer}/device?user_code=${started.user_code}`,
    expires_in: 600,
    interval: 5,
  })
  expect((await made.poll(started.device_code)).error).toBe('authorization_pending')
  const page = await made.enter(ada, started.user_code)
  expect(page.status).toBe(200)
  const text = await page.clone().text()
  for (const said of ['Telly', started.user_code, 'Read your notes', 'Someone else']) {
    expect(text).toContain(said)
  }
  const done = await made.decideOn(ada, page)
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('connected')])
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => made.poll(started.device_code)),
  )
  const [good, ...more] = answers.filter(({ status }) => status === 200)
  expect(more).toEqual([])
  expect(claimsOf(good?.access_token ?? '')).toMatchObject({
    sub: claimsIn(ada).sub,
    client_id: 'tv',
    scope: 'openid notes:read',
  })
  expect(good).toMatchObject({ refresh_token: expect.any(String), id_token: expect.any(String) })
  const others = answers.filter(({ status }) => status !== 200)
  expect(new Set(others.map(({ error }) => error))).toEqual(new Set(['invalid_grant']))
})

it('nobody signs in first, and comes back with the code', async () => {
  const { user_code } = await made.start()
  const answer = await made.browser().get(`/auth/device?user_code=${user_code}`)
  const page = new URL(locationOf(answer))
  expect(page.pathname).toBe('/auth/signin')
  expect(page.searchParams.get('callbackUrl')).toBe(`${origin}/auth/device?user_code=${user_code}`)
  const ada = await made.signIn('one', 'ada')
  const shown = await (await ada.get(`/auth/device?user_code=${user_code}`)).text()
  expect(shown).toContain(`value="${user_code}"`)
})

it.each([
  ['in lower case', (code: string) => code.toLowerCase()],
  ['without the hyphen', (code: string) => code.replace('-', '')],
  ['with spaces', (code: string) => ` ${[...code].join(' ')} `],
])('a code counts %s', async (_, spelled) => {
  const ada = await made.signIn('one', 'ada')
  const { user_code = '' } = await made.start()
  expect((await made.enter(ada, spelled(user_code))).status).toBe(200)
})

it.each([
  ['an app without the grant', { client_id: 'notes' }, 'unauthorized_client'],
  ['an unknown app', { client_id: 'nobody' }, 'invalid_client'],
  ['a confidential app without its secret', { client_id: 'box' }, 'invalid_client'],
  ['an unknown resource', { resource: 'https://else.example/' }, 'invalid_target'],
  ['no scope of the resource', { scope: 'admin' }, 'invalid_scope'],
])('%s gets no code', async (_, fields, error) => {
  expect((await made.start(fields as Record<string, string>)).error).toBe(error)
})

it('a person says no', async () => {
  const ada = await made.signIn('one', 'ada')
  const { user_code, device_code } = await made.start()
  const page = await made.enter(ada, user_code)
  expect(await (await made.decideOn(ada, page, 'deny')).text()).toContain('not connected')
  expect((await made.poll(device_code)).error).toBe('access_denied')
  expect((await made.enter(ada, user_code)).status).toBe(400)
})

it('the same decision, sent again, ends at the same page', async () => {
  const ada = await made.signIn('one', 'ada')
  const { user_code } = await made.start()
  const request = requestOn(await (await made.enter(ada, user_code)).text())
  for (let clicks = 0; clicks < 2; clicks++) {
    const answer = await ada.submit('/auth/oauth/consent', { request, decision: 'allow' })
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('connected'),
    ])
  }
  const other = await ada.submit('/auth/oauth/consent', { request, decision: 'deny' })
  expect(locationOf(other)).toContain('InvalidCheck')
})

it('a device that asks too often is slowed down, by five seconds each time', async () => {
  const { device_code } = await made.start()
  const errors = []
  for (let polls = 0; polls < 3; polls++) errors.push((await made.poll(device_code)).error)
  expect(errors).toEqual(['authorization_pending', 'slow_down', 'slow_down'])
})

describe('later', () => {
  it('a code ends after ten minutes, on the page and for the device', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const one = devices()
      const { user_code, device_code } = await one.start()
      vi.setSystemTime(Date.now() + 601_000)
      expect((await one.poll(device_code)).error).toBe('expired_token')
      const ada = await one.signIn('one', 'ada')
      expect((await one.enter(ada, user_code)).status).toBe(400)
      vi.setSystemTime(Date.now() + 3_600_000)
      expect((await one.poll(device_code)).error).toBe('expired_token')
    } finally {
      vi.useRealTimers()
    }
  })

  it('a session that ends before the device asks gives nothing', async () => {
    const ada = await made.signIn('one', 'ada')
    const { user_code, device_code } = await made.start()
    await made.decideOn(ada, await made.enter(ada, user_code))
    await ada.submit('/auth/signout')
    expect((await made.poll(device_code)).error).toBe('invalid_grant')
  })
})

it('attack: user codes are guessed', async () => {
  const ada = await made.signIn('one', 'ada')
  const { user_code } = await made.start()
  const statuses = []
  for (let tries = 0; tries < 11; tries++) {
    statuses.push((await made.enter(ada, 'BBBB-BBBB')).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429])
  // A right guess does not work either, for as long.
  expect((await made.enter(ada, user_code)).status).toBe(429)
})

it('attack: user codes are guessed, by somebody whose own devices have right ones', async () => {
  const eve = await made.signIn('one', 'eve')
  const statuses = []
  for (let tries = 0; tries < 11; tries++) {
    const { user_code } = await made.start()
    statuses.push((await made.enter(eve, user_code)).status)
    statuses.push((await made.enter(eve, 'BBBB-BBBB')).status)
  }
  expect(statuses.filter((status) => status === 400)).toHaveLength(10)
  expect(statuses.slice(-2)).toEqual([429, 429])
})

it('attack: somebody who guesses keeps everybody from their devices, where no network is known', async () => {
  const [eve, ada] = [await made.signIn('one', 'eve'), await made.signIn('one', 'ada')]
  for (let tries = 0; tries < 11; tries++) await made.enter(eve, 'BBBB-BBBB')
  expect((await made.enter(eve, 'BBBB-BBBB')).status).toBe(429)
  const { user_code } = await made.start()
  expect((await made.enter(ada, user_code)).status).toBe(200)
})

it('attack: a link that somebody else has sent connects nothing by itself', async () => {
  const ada = await made.signIn('one', 'ada')
  const { verification_uri_complete = '', device_code } = await made.start()
  const { pathname, search } = new URL(verification_uri_complete)
  await ada.get(pathname + search)
  expect((await made.poll(device_code)).error).toBe('authorization_pending')
})

it('attack: login CSRF on the device page, by a consent of another session', async () => {
  const eve = await made.signIn('one', 'eve')
  const ada = await made.signIn('one', 'ada')
  const { user_code, device_code } = await made.start()
  const page = await made.enter(eve, user_code)
  expect(locationOf(await made.decideOn(ada, page))).toContain('InvalidCheck')
  expect((await made.poll(device_code)).error).toBe('authorization_pending')
})

it('attack: mix-up: a device that asked one host is not allowed at another one, which is another issuer', async () => {
  const hosts = ['https://one.example', 'https://two.example']
  const world = oauthPeople(APPS, { trustedOrigins: hosts, trustHost: true })
  const auth = createAuth(world.config)
  const answer = (request: Request) => auth.fetch(request)
  const form = new URLSearchParams({ client_id: 'tv', scope: 'openid' })
  const started = new Request(`${hosts[0]}/auth/oauth/device`, { method: 'POST', body: form })
  const { user_code } = (await (await answer(started)).json()) as { user_code: string }
  const statuses = []
  for (const at of hosts.toReversed()) {
    const browser = new Browser(world.config, { at, answer })
    await browser.signIn('one', 'ada')
    statuses.push((await browser.submit('/auth/device', { user_code })).status)
  }
  expect(statuses).toEqual([400, 200])
})

it('attack: a device code of another app, or a made-up one, does not work', async () => {
  const { device_code = '' } = await made.start()
  const other = { client_id: 'box', client_secret: clientSecret }
  expect((await made.poll(device_code, other)).error).toBe('invalid_grant')
  const letter = device_code.at(-9) === 'A' ? 'B' : 'A'
  const forged = device_code.slice(0, -9) + letter + device_code.slice(-8)
  expect((await made.poll(forged)).error).toBe('invalid_grant')
  expect((await made.poll('made-up')).error).toBe('invalid_grant')
})

it('attack: calls of the ledger without end, by a device that polls without a pause, or with an old code', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const { store, calls } = faulty()
    const one = devices({ store })
    const { device_code } = await one.start()
    const before = calls.length
    const errors = new Set()
    for (let polls = 0; polls < 100; polls++) errors.add((await one.poll(device_code)).error)
    expect(errors).toEqual(new Set(['authorization_pending', 'slow_down']))
    expect(calls.length - before).toBe(60)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect((await one.poll(device_code)).error).toBe('expired_token')
    expect(calls.length - before).toBe(60)
  } finally {
    vi.useRealTimers()
  }
})

it('attack: rows without end, by a stranger who starts devices', async () => {
  // In an hour of its own: other files in this process start devices too, and share the count of a minute.
  vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] })
  try {
    let last = await made.start()
    for (let starts = 0; starts < 300; starts++) last = await made.start()
    expect([last.status, last.error]).toEqual([429, 'temporarily_unavailable'])
  } finally {
    vi.useRealTimers()
  }
})
