import { proofInput, proofKeyOf } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { encodeBase64Url } from '../../lib/base64url.js'
import { readProof, reportFault } from './app-proof.js'

const SHOP = 'https://shop.example'
const KEY = 'the-key-of-the-shop-0123456789abcdef'
const PATH = '/auth/session'
const now = 1_800_000_000
const nonce = 'abcdefghijklmnopqrstu_'
const genuine = { origin: SHOP, client: '198.51.100.7', time: now, nonce }

const partsWith = (appKeys: readonly { origin: string; key: string }[]) => ({
  config: { appKeys, now: () => now * 1000 },
  keys: { proofKeys: async () => [] },
})
const parts = partsWith([{ origin: SHOP, key: KEY }])

/** A header with a genuine signature of a text that need not be a statement. */
async function signed(text: string, secret = KEY) {
  const statement = encodeBase64Url(new TextEncoder().encode(text))
  const { id, key } = await proofKeyOf(secret)
  const mac = await crypto.subtle.sign('HMAC', key, proofInput('GET', PATH, statement))
  return { statement, id, mac: encodeBase64Url(new Uint8Array(mac)) }
}
const headerOf = ({ statement, id, mac }: Awaited<ReturnType<typeof signed>>) =>
  `${statement}.${id}.${mac}`
const read = (header: string | undefined, by: typeof parts = parts) =>
  readProof(
    { method: 'GET', headers: new Headers(header === undefined ? {} : { 'x-auth-proof': header }) },
    PATH,
    by,
  )
const readSaid = async (said: unknown) => read(headerOf(await signed(JSON.stringify(said))))

describe('the contents of an app’s genuine proof', () => {
  it('is its origin and the visitor’s address, until a minute after its time', async () => {
    const { origin, client } = genuine
    expect(await readSaid(genuine)).toEqual({ origin, client, nonce, expires: now + 61 })
    expect(await readSaid({ ...genuine, time: now - 9.5 })).toMatchObject({ expires: now - 9 + 61 })
  })

  it('may be nothing but its time', async () => {
    expect(await readSaid({ time: now, nonce })).toEqual({ nonce, expires: now + 61 })
  })

  it.each<[string, unknown]>([
    ['is a list', [genuine]],
    ['is a text', 'x'],
    ['is nothing', null],
    ['has no nonce', { ...genuine, nonce: undefined }],
    ['has a nonce that is a list', { ...genuine, nonce: [nonce] }],
    ['has a nonce that is too short', { ...genuine, nonce: nonce.slice(1) }],
    ['has a nonce that is too long in front', { ...genuine, nonce: `x${nonce}` }],
    ['has a nonce that is too long at its end', { ...genuine, nonce: `${nonce}x` }],
    ['has a nonce of other letters', { ...genuine, nonce: '.'.repeat(22) }],
    ['has an origin without a host', { ...genuine, origin: 'https' }],
    ['has an empty origin', { ...genuine, origin: '' }],
    ['has a host alone', { ...genuine, origin: 'shop.example' }],
    ['has an origin twice', { ...genuine, origin: `${SHOP}://x` }],
    ['has no text as its origin', { ...genuine, origin: null }],
    ['has no text as its client', { ...genuine, client: null }],
  ])('that %s is malformed', async (_, said) => {
    expect(await readSaid(said)).toBe('malformed')
  })

  it.each([['now'], [null], [`${now}`], [undefined]])('has an invalid time: %j', async (time) => {
    expect(await readSaid({ ...genuine, time })).toBe('stale')
  })

  it('that is not JSON is malformed', async () => {
    expect(await read(headerOf(await signed('{')))).toBe('malformed')
  })
})

describe('a header', () => {
  it('that is missing is not a fault', async () => {
    expect(await read(undefined)).toBeUndefined()
  })

  it.each<[string, (good: Awaited<ReturnType<typeof signed>>) => string]>([
    ['something before it', (good) => `!${headerOf(good)}`],
    ['something behind it', (good) => `${headerOf(good)}!`],
    ['no statement', ({ id, mac }) => `.${id}.${mac}`],
    ['a statement of 601 letters', ({ id, mac }) => `${'A'.repeat(601)}.${id}.${mac}`],
    ['a longer id', ({ statement, id, mac }) => `${statement}.${id}A.${mac}`],
    ['a longer signature', ({ statement, id, mac }) => `${statement}.${id}.${mac}A`],
    ['five signatures', ({ statement, id, mac }) => statement + `.${id}.${mac}`.repeat(5)],
  ])('with %s is malformed', async (_, damaged) => {
    expect(await read(damaged(await signed(JSON.stringify(genuine))))).toBe('malformed')
  })

  it('with four keys counts by the known one, at any place', async () => {
    const { statement, id, mac } = await signed(JSON.stringify(genuine))
    const [own, unknown] = [`.${id}.${mac}`, `.AAAAAAAA.${mac}`]
    for (let at = 0; at < 4; at++) {
      const all = Array.from({ length: 4 }, (_, index) => (index === at ? own : unknown))
      expect(await read(statement + all.join(''))).toMatchObject({ nonce })
    }
    expect(await read(statement + unknown.repeat(4))).toBe('unknown-key')
  })

  it.each([`${'A'.repeat(43)}`, `${'_'.repeat(43)}`])('forged signature: %s', async (mac) => {
    const good = await signed(JSON.stringify(genuine))
    expect(await read(headerOf({ ...good, mac }))).toBe('bad-signature')
  })
})

it('one key of two apps proves either origin, and no third', async () => {
  const other = 'https://other.example'
  const both = partsWith([SHOP, other].map((origin) => ({ origin, key: KEY })))
  for (const origin of [SHOP, other]) {
    const header = headerOf(await signed(JSON.stringify({ ...genuine, origin })))
    expect(await read(header, both)).toMatchObject({ origin })
  }
  const header = headerOf(
    await signed(JSON.stringify({ ...genuine, origin: 'https://third.example' })),
  )
  expect(await read(header, both)).toBe('another-origin')
})

it('the operator reads of each fault once, in its own words', () => {
  const told: string[] = []
  const config = { logger: { warn: (_: string, text: string) => void told.push(text) } }
  const parts = { config, keys: {} } as never
  const faults = [
    'malformed',
    'unknown-key',
    'bad-signature',
    'another-origin',
    'stale',
    'replayed',
  ] as const
  for (const fault of [...faults, ...faults]) reportFault(parts, fault)
  expect(told).toHaveLength(6)
  const words = [
    'malformed',
    'not known here',
    'for another request',
    'another origin',
    'clock',
    'before',
  ]
  for (const [at, word] of words.entries()) {
    expect(told[at]).toContain(word)
    expect(told[at]).toMatch(
      /^The proof of an app that forwards \S.*as without it\. This is said once\.$/,
    )
  }
})
