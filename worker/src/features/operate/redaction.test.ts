import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { authjsCookies, OLD_SECRET } from '../../../../test/support/old-cookies.js'
import { newOperatorKey } from '../../../../test/support/operator-key.js'
import { createAuth } from '../../index.js'
import { authjs } from '../../migrate.js'
import type { Feature } from '../../service/feature.js'
import { Browser, claimsIn, secret } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { importRequest } from '../../test-support/importing.js'
import { authorizePath, OPTIONS, oauthPeople } from '../../test-support/oauth-people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { authorizationServer } from '../authorization-server/index.js'
import { operate } from './index.js'
import { readOperatorKeys } from './operator/keys.js'
import { LedgerPlaces } from './places.js'
import type { OperateSettings } from './settings.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 28, 12) + 990, waits: true })

/** The texts that no line, record, metric or row may have. */
const canaries = new Set<string>()
/** Everything that leaves the service for its operator. */
let told: string[] = []

beforeEach(() => {
  canaries.clear()
  told = []
  for (const level of ['error', 'warn', 'info', 'debug', 'log'] as const) {
    vi.spyOn(console, level).mockImplementation((...given: unknown[]) => {
      told.push(given.map(String).join(' '))
    })
  }
})
afterEach(() => void vi.restoreAllMocks())

const NETWORKS = ['203.0.113.77', '2001:db8:ca:aa::7'] as const
const AGENT = 'Canary-Browser/7 (X11; Linux x86_64) Firefox/140.0'

/** Long enough to be no word of ours. */
function keep(...texts: readonly (string | null | undefined)[]): void {
  for (const text of texts) if (text && text.length >= 8) canaries.add(text)
}

/** Every value that a browser and the service give each other: cookies, fields, parameters, members of JSON. */
async function keepAll(message: Request | Response): Promise<void> {
  const { headers } = message
  const pairs = [headers.get('cookie') ?? '', ...headers.getSetCookie()].flatMap((line) =>
    line.split('; ').map((pair) => pair.slice(pair.indexOf('=') + 1)),
  )
  const address = message instanceof Request ? message.url : headers.get('location')
  const query = URL.parse(address ?? '')?.searchParams ?? new URLSearchParams()
  keep(headers.get('authorization')?.replace('Bearer ', ''))
  const type = headers.get('content-type') ?? ''
  const body = /json|form/.test(type) ? await message.clone().text() : ''
  const fields = type.includes('form') ? [...new URLSearchParams(body).values()] : []
  const members = body.startsWith('{') ? [...body.matchAll(/"([\w.~-]{20,})"/g)] : []
  const secrets = [...pairs, ...query.values(), ...fields, ...members.map(([, text]) => text)]
  keep(...secrets.filter((text) => text && !PUBLIC.test(text)))
}

/** Paths, addresses of pages, times and names, which are public. */
const PUBLIC =
  /^(?:recovery$|https?:|\/|\d{4}-|com[.]|openid|notes|offline|authorization_code|CredentialsSignin|OAuth|InvalidCheck|AccessDenied|Configuration|Verification|SameSite|HttpOnly|Max-Age|(?:get|list|end|export|delete|block|unblock)[A-Z]\w+$|urn:)/

it('nothing that the operator reads has an address, a name, a token, a code, a cookie, a key, a secret or a network', async () => {
  const night = newOperatorKey('night', 'read')
  const day = newOperatorKey('day', 'manage')
  keep(night.key, night.hash, day.key, day.hash, secret, OLD_SECRET, AGENT)
  const ledgers = new FakeLedgers()
  ledgers.auditDays = 30
  const metrics = { writeDataPoint: (point: object) => void told.push(JSON.stringify(point)) }
  const settings: OperateSettings = {
    ...readOperatorKeys(`${night.entry},${day.entry}`),
    audit: { days: 30, log: new LedgerPlaces(ledgers.binding, [{ count: 1, regions: [] }]) },
    metrics,
  }
  const world = oauthPeople(OPTIONS, {
    features: [
      authorizationServer({ ...OPTIONS, keys: { prefix: 'acme' } }),
      // The stores of these people are not those of a Worker.
      { ...operate(), configure: () => settings } as Feature,
    ],
    migrateFrom: [authjs({ secret: OLD_SECRET, until: '2027-01-01' })],
    logger: {},
    debug: true,
    callbacks: { signIn: ({ user }) => user.name !== 'canary-evicted at one' },
  })
  const auth = createAuth(world.config)
  const env = { AUTH_IMPORT_UNTIL: new Date(Date.now() + 86_400_000).toISOString() }
  let requests = 0
  const answer = async (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('cf-connecting-ip', NETWORKS[requests++ % 2] ?? '')
    headers.set('user-agent', AGENT)
    const sent = new Request(request, { headers })
    await keepAll(sent)
    const answered = await auth.fetch(sent, env)
    await keepAll(answered)
    return answered
  }
  const browser = () => new Browser(world.config, { answer })
  const signIn = async (provider: string, account: string, one = browser()) => {
    keep(account, `${account} at ${provider}`)
    await world.signIn(provider, account, one)
    if (one.jar.has('auth.session-token')) keep(claimsIn(one).sub, claimsIn(one).sid)
    return one
  }
  const api = (method: string, body: object, key = day.key) =>
    answer(
      new Request(`http://localhost:8787/auth/operator/${method}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      }),
    )
  keep(...NETWORKS, '2001:db8:ca:aa::')

  // People.
  const ada = await signIn('one', 'canary-account-ada')
  keep('canary-ada@canary.example', 'canary-ada')
  const adding = await ada.submit('/auth/ways/add', {
    provider: 'email',
    callbackUrl: '/inbox',
    email: 'canary-ada@canary.example',
  })
  expect(adding.status).toBe(302)
  await ada.get(world.lastMail().path)
  pass(400)
  const again = { email: 'canary-ada@canary.example', callbackUrl: '/inbox', maxAge: '300' }
  await ada.submit('/auth/signin/email', again)
  await ada.get(world.lastMail().path)
  await world.add(ada, 'two', 'canary-account-two')
  const mine = await world.ways(ada)
  await world.remove(ada, mine.find(({ provider }) => provider === 'two')?.id ?? '')
  const { app, codes } = await setUpFactor(ada)
  keep(...codes)
  pass(31)
  const second = await signIn('one', 'canary-account-ada')
  await second.submit('/auth/factor', { code: app.code() })
  pass(31)
  const third = await signIn('one', 'canary-account-ada')
  await third.submit('/auth/factor?by=recovery', { code: codes[0] ?? '' })
  const renewed = await second.submit('/auth/factor/recovery')
  keep(...((await renewed.text()).match(/[0-9A-Z]{4}(?:-[0-9A-Z]{4}){5}/g) ?? []))
  await second.submit('/auth/sessions/revoke', { session: 'others' })
  await second.submit('/auth/factor/remove')
  await second.submit('/auth/signout')

  // A passkey, and what a session of one factor adds.
  const own = world.authenticator()
  keep('canary-grace@canary.example', 'Canary Grace')
  const { one: grace } = await world.signUp(own, { name: 'Canary Grace' }, browser())
  pass(2)
  await world.startAdding(grace, 'email', { email: 'canary-grace@canary.example' })
  await grace.get(world.lastMail().path)
  const weak = await signIn('email', 'canary-grace@canary.example')
  const before = new Set((await world.ways(weak)).map(({ id }) => id))
  await world.addPasskey(weak, world.authenticator())
  const way = (await world.ways(weak)).find(({ id }) => !before.has(id))?.id ?? ''
  await setUpFactor(weak)
  const { one: strong } = await world.signInBy(own, browser())
  await strong.submit('/auth/ways/confirm', { way })
  await strong.submit('/auth/factor/confirm')

  // One person becomes another one.
  const other = await signIn('two', 'canary-account-other')
  await world.add(other, 'two', 'canary-account-further')
  pass(2)
  const taker = await signIn('one', 'canary-account-taker')
  await world.takeIn(taker, 'two', 'canary-account-other')

  // A session of another library, accounts of another service, apps and keys.
  const mover = browser()
  const claims = { sub: 'canary-old-sub', name: 'Canary Old', email: 'canary-old@canary.example' }
  keep(...Object.values(claims))
  for (const [name, value] of await authjsCookies({ claims })) mover.jar.set(name, value)
  await mover.get('/auth/session')
  keep('canary-imported-sub', 'canary-imported-account')
  const rows = [['canary-imported-sub', 'one', 'canary-imported-account']]
  await answer(await importRequest(rows))
  const consent = await taker.get(authorizePath())
  await world.decide(taker, consent)
  await taker.submit('/auth/apps/remove', { app: 'notes' })
  const made = await taker.submit(
    '/auth/keys/create',
    { name: 'Canary key', 'scope.notes:read': 'on', scopes: 'notes:read' },
    { 'x-auth-return-redirect': '1' },
  )
  keep('Canary key', ((await made.json()) as { key?: string }).key)

  // Attackers.
  const eve = browser()
  await eve.get('/auth/callback/one?code=canary-stolen-code&state=canary-stolen-state')
  await eve.get('/auth/callback/email?token=canary-stolen-token&email=canary-ada@canary.example')
  for (let tries = 0; tries < 8; tries++) {
    await eve.submit('/auth/signin/email', { email: 'canary-ada@canary.example' })
    await eve.submit('/auth/callback/email', { code: 'CANARYCODE' })
  }
  keep('CANARYCODE')
  await signIn('one', 'canary-evicted')
  await api('deletePerson', { sub: 'canary-guessed-sub' }, `lkop_${'C'.repeat(43)}`)

  // Operators.
  const { sub } = claimsIn(taker)
  const key = await auth.createKey(sub, { name: 'Canary CI', scopes: ['notes:read'] }, env)
  keep(key.key, 'Canary CI')
  await auth.endKey(sub, undefined, env)
  await auth.endApp(sub, 'notes', env)
  await api('listWays', { sub }, night.key)
  await api('exportPerson', { sub }, night.key)
  await api('disconnect', { sub, provider: 'one' })
  await api('resetFactors', { sub: claimsIn(grace).sub })
  await api('blockPerson', { sub, reason: 'A ticket\u202e of support' })
  await signIn('one', 'canary-account-taker')
  await api('unblockPerson', { sub })
  await api('endSessions', { sub })
  await api('deletePerson', { sub: claimsIn(grace).sub })
  ledgers.before.set('record', () => Promise.reject(new Error('The object is away.')))
  await signIn('one', 'canary-account-lost')
  await api('deletePerson', { sub })
  ledgers.before.clear()

  const { records } = (await ledgers.objects.get('ledger')?.records?.({ limit: 1_000 })) ?? {}
  const found = new Set(records?.map((record) => ('event' in record ? record.event : '')))
  const types = readFileSync(join(import.meta.dirname, '../../types/log-event.ts'), 'utf8')
  const [, union = ''] = /readonly event:([^/]*)/.exec(types) ?? []
  const events = [...union.matchAll(/'([a-z-]+)'/g)].map(([, name]) => name)
  expect(events.filter((name) => !found.has(name ?? ''))).toEqual([])

  for (const run of ledgers.audits.values()) {
    told.push(
      JSON.stringify(run('SELECT * FROM audit')),
      JSON.stringify(run('SELECT * FROM audit_state')),
    )
  }
  const heads = await auth.auditHeads(env)
  told.push(JSON.stringify(records), JSON.stringify(heads))
  expect(told.some((line) => line.includes('audit-lost'))).toBe(true)
  const text = told.join('\n')
  expect([...canaries].filter((canary) => text.includes(canary))).toEqual([])
  expect(canaries.size).toBeGreaterThan(200)
  // Each line is one, and no terminal obeys it.
  expect(told.filter((line) => /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(line))).toEqual([])
})
