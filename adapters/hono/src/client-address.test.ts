import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { authHandler } from './index.js'
import { inProcess } from './test-app.js'

clock()

/** How many of some wrong passwords are judged, each for another account and each from one of the visitors. */
async function judged(
  count: number,
  {
    from,
    headers,
    trustHost,
  }: { from: string; headers?: (at: number) => HeadersInit; trustHost?: true },
) {
  const warnings: string[] = []
  const logger = { error() {}, warn: (code: string) => void warnings.push(code) }
  const more = { logger, trustedOrigins: [], ...(trustHost ? { trustHost } : {}) }
  const app = new Hono().all('/auth/*', authHandler(inProcess(more)))
  const bindings = { incoming: { socket: { remoteAddress: from } } }
  const csrf = await app.request('http://localhost:3000/auth/csrf', {}, bindings)
  const cookie = csrf.headers.getSetCookie().map((line) => line.split(';', 1)[0])
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  let found = 0
  for (let at = 0; at < count; at++) {
    const body = new URLSearchParams({ csrfToken, username: `u${at}`, password: 'wrong' })
    const all = new Headers(headers?.(at))
    all.set('cookie', cookie.join('; '))
    const url = 'http://localhost:3000/auth/callback/credentials'
    const answer = await app.request(url, { method: 'POST', body, headers: all }, bindings)
    if (answer.status !== 429) found += 1
  }
  return { found, warned: warnings.filter((code) => /unknown-client|public-proxy/.test(code)) }
}

const forwarded = (at: number) => ({ 'x-forwarded-for': `6.6.6.6, 203.0.113.${at % 100}` })

describe('on Node, wrong passwords for many accounts', () => {
  test('from one address are thirty in a minute, whatever headers say', async () => {
    const { found, warned } = await judged(60, { from: '198.51.100.7', headers: forwarded })
    expect([found, warned]).toEqual([30, ['public-proxy']])
  })

  test('from one address that sends no such header are thirty in a minute, without a warning', async () => {
    const { found, warned } = await judged(40, { from: '198.51.100.8' })
    expect([found, warned]).toEqual([30, []])
  })

  test('attack: a stranger’s, through a trusted proxy with a public address, keep no other visitor out', async () => {
    const proxied = { from: '198.51.100.9', trustHost: true as const }
    const many = await judged(60, { ...proxied, headers: forwarded })
    expect([many.found, many.warned]).toEqual([60, []])
    const stranger = (at: number) => ({ 'x-forwarded-for': `6.6.6.${at}, 192.0.2.10` })
    expect((await judged(60, { ...proxied, headers: stranger })).found).toBe(30)
  })

  test('behind a proxy that nothing trusts do not keep all users out after thirty, and warn once', async () => {
    const { found, warned } = await judged(320, { from: '10.0.0.1', headers: forwarded })
    expect([found, warned]).toEqual([300, ['unknown-client']])
  })

  test('behind a trusted proxy are counted by the address that it names', async () => {
    const proxied = { from: '::ffff:10.0.0.2', trustHost: true as const }
    const many = await judged(60, { ...proxied, headers: forwarded })
    expect([many.found, many.warned]).toEqual([60, []])
    const one = await judged(60, {
      ...proxied,
      headers: (at) => ({ 'x-forwarded-for': `6.6.6.${at}, 192.0.2.9` }),
    })
    expect([one.found, one.warned]).toEqual([30, []])
  })
})
