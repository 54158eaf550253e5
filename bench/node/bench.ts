import { median } from '../processor-time.ts'
import { row } from '../table.ts'
import { startAuthService } from './auth-service.ts'
import { measureHandlers } from './handlers.ts'
import type { App } from './loaded-app.ts'
import { measureMemory, REMEMBERED } from './memory.ts'
import { measureReads, type Reader, ratio } from './reads.ts'
import { countAtWork, countRenewalWaits, steady } from './renewal-waits.ts'
import { countWaits, measureRequests } from './requests.ts'
import { weigh } from './weight.ts'

/** Milliseconds by which the service answers the feed late, so that a read that waits for it is noticed. */
const FEED_DELAY = 300
/** Sessions in rotation, since a real app serves many people. */
const SESSIONS = 10_000

/** The adapters beside the alternatives, in Node. Adds its rows to the table. */
export async function benchNode(): Promise<void> {
  console.log('Reading a session from a request, in Node …')
  await reads()
  console.log('An Express app that reads the session …')
  await requests()
  console.log('Requests through the Hono adapter, and through `handle` …')
  await handlers()
  console.log('Reads that wait for a renewal, over tokens’ lives …')
  await renewals()
  console.log('What a verifier keeps in memory …')
  await memory()
  await weights()
}

async function reads(): Promise<void> {
  const quick = { sessions: SESSIONS, reads: 5_000 }
  // These contestants have no cache between requests.
  const slow = { sessions: 300, reads: 150 }
  const readers: Reader[] = [
    { contestant: 'bare', ...quick },
    { contestant: 'latchkey', ...quick },
    { contestant: 'bare-token', ...quick },
    { contestant: 'latchkey-token', ...quick },
    { contestant: 'latchkey-first-sight', ...slow },
    { contestant: 'jose', ...slow },
    { contestant: 'node-crypto', ...slow },
    { contestant: 'web-crypto', ...slow },
    { contestant: 'better-auth-cache', ...slow },
    { contestant: 'better-auth', ...slow },
    { contestant: 'auth-express', ...slow, reads: 50 },
  ]
  const costs = await measureReads(readers)
  const against = (name: string, base: string) => ratio(costs.get(name), costs.get(base))
  const times = (name: string, base = 'bare') => `${significant(against(name, base))}×`
  const time = (name: string) => `${significant(median(costs.get(name) ?? []))} µs`

  const others = `jose ${times('jose')}, better-auth cookie cache ${times('better-auth-cache')}`
  const more = `better-auth getSession ${times('better-auth')}, @auth/express ${times('auth-express')}`
  const toBare = against('latchkey', 'bare')
  const what = 'reading a session in Express, beside a look-up in a Map'
  row(what, times('latchkey'), `${others}, ${more}`, '≤ 1.5×', toBare <= 1.5)
  const fastest = ['better-auth-cache', 'better-auth'].map((name) => against(name, 'latchkey'))
  const toBetterAuth = Math.min(...fastest)
  const speed = (factor: number) => `${significant(factor)}× as fast`
  row('… against better-auth’s fastest', speed(toBetterAuth), '', '≥ 50×', toBetterAuth >= 50)
  const toAuthJs = against('auth-express', 'latchkey')
  row('… against @auth/express', speed(toAuthJs), '', '≥ 200×', toAuthJs >= 200)
  row(
    '… processor time',
    time('latchkey'),
    `Map ${time('bare')}, jose ${time('jose')}, better-auth ${time('better-auth-cache')} and ${time('better-auth')}, @auth/express ${time('auth-express')}`,
  )
  const toMap = against('latchkey-token', 'bare-token')
  const token = 'an access token that was seen, beside a look-up in a Map'
  row(token, times('latchkey-token', 'bare-token'), '', '≤ 2×', toMap <= 2)
  const toJose = against('latchkey-first-sight', 'jose')
  const floors = `its signature alone: node:crypto ${times('node-crypto', 'jose')}, WebCrypto ${times('web-crypto', 'jose')}`
  const first = times('latchkey-first-sight', 'jose')
  row('… a token never seen, beside jose', first, floors, '≤ 1.1×', toJose <= 1.1)
}

async function requests(): Promise<void> {
  await using service = await startAuthService(FEED_DELAY)
  // Many short rounds: other load on the machine changes slowly, so neighboring rounds see the
  // same.
  const quick = { sessions: SESSIONS, requests: 1_000, rounds: 61 }
  const slow = { sessions: 300, requests: 100, rounds: 21 }
  const withFeed: App = { contestant: 'latchkey-feed', ...quick, args: [service.url] }
  const relations = await measureRequests([
    { contestant: 'bare', ...quick },
    { contestant: 'latchkey', ...quick },
    withFeed,
    { contestant: 'jose', ...slow },
    { contestant: 'better-auth-cache', ...slow },
    { contestant: 'better-auth', ...slow },
    { contestant: 'auth-express', ...slow },
  ])
  const rate = (name: string) => median(relations.get(name)?.rates ?? [])
  const cost = (name: string) => median(relations.get(name)?.costs ?? [])
  const others = (text: (name: string) => string) =>
    `Map ${text('bare')}, jose ${text('jose')}, better-auth ${text('better-auth-cache')} and ${text('better-auth')}, @auth/express ${text('auth-express')}`
  const rateText = (name: string) => significant(rate(name))
  const costText = (name: string) => `${significant(cost(name))}×`

  row(
    'an Express app that reads it, requests a second beside the same app without',
    rateText('latchkey'),
    others(rateText),
    '≥ 0.90',
    rate('latchkey') >= 0.9,
  )
  const feed = 'latchkey-feed'
  row('… hearing of ended sessions', rateText(feed), '', '≥ 0.90', rate(feed) >= 0.9)
  row('… processor time a request', costText('latchkey'), others(costText))
  row('… hearing of ended sessions', costText(feed))

  const before = service.feedReads
  const { waits, requests } = await countWaits(withFeed, 6)
  const heard = `${requests} requests while the feed was read ${service.feedReads - before} times`
  row('… reads that waited for the feed', String(waits), heard, '0', waits === 0)
}

async function handlers(): Promise<void> {
  const { hono, web } = await measureHandlers()
  const microseconds = (value: number) => `${significant(value)} µs`
  const target = '≤ 1 µs more'
  row(
    'a request that reads it, through `handle`',
    microseconds(web.with),
    `through the Hono adapter ${microseconds(hono.with)}`,
    target,
    web.with - hono.with <= 1,
  )
  row(
    '… more than the same without',
    microseconds(web.added),
    `the Hono adapter ${microseconds(hono.added)}`,
    target,
    web.added - hono.added <= 1,
  )
}

async function renewals(): Promise<void> {
  const target = '< 1 in 1,000'
  const express = await countAtWork('clocked-express')
  const what = 'reads that wait for a renewal, in Express: one every 10 s'
  row(what, express.text, '', target, express.isMet)
  const visits = { reads: 520, apart: 3_600 }
  const others = [
    ['… every 30 s', steady(30, 4_000)],
    ['… every hour', steady(3_600, 300)],
    [
      '… every 5 s, in visits of 43 minutes with hours between',
      { people: 20, reads: 10_400, betweenReads: 5, visits },
    ],
  ] as const
  for (const [name, habit] of others) {
    const { reads, waits, floor } = await countRenewalWaits(habit, 'clocked-express')
    row(name, `${waits} of ${reads}`, `${floor} after a pause longer than a token lives`)
  }
  const hono = await countAtWork('clocked-hono')
  row('… in Hono: one every 10 s', hono.text, '', target, hono.isMet)
}

async function memory(): Promise<void> {
  const growth = await measureMemory()
  const [most, last] = [Math.max(...growth.map(({ bytes }) => bytes)), growth.at(-1)]
  const seen = `${last?.tokens} tokens seen, ${REMEMBERED} remembered: ${growth.map(({ bytes }) => megabytes(bytes)).join(', ')} MB`
  const bound = 40e6
  row('memory of a verifier', `${megabytes(most)} MB`, seen, '≤ 40 MB', most <= bound)
}

async function weights(): Promise<void> {
  const text = async (...names: readonly string[]) => {
    const { packages, bytes } = await weigh(...names)
    return `${packages} package${packages === 1 ? '' : 's'}, ${megabytes(bytes)} MB`
  }
  const { packages, bytes } = await weigh('@latchkey/express')
  const others = `jose ${await text('jose')}; better-auth ${await text('better-auth')}; @auth/express ${await text('@auth/express')}`
  const met = packages <= 3 && bytes <= 1e6
  row('added to an Express app', await text('@latchkey/express'), others, '≤ 3, ≤ 1 MB', met)
  row('… that serves the auth routes too', await text('@latchkey/express', '@latchkey/worker'))
}

function megabytes(bytes: number): string {
  return significant(bytes / 1e6)
}

function significant(value: number): string {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)
}
