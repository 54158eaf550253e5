import { IMPORT_HEADER, MAX_IMPORT, proofKeyOf, signImport } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { InvalidConfiguration } from '../../errors.js'
import { secret } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { importing } from '../../test-support/importing.js'
import { importUntil } from './settings.js'

const { pass } = clock()

const ADA = ['old-ada', 'one', 'ada'] as const

describe('the route', () => {
  it.each(['GET', 'POST', 'HEAD', 'DELETE'])(
    'does not exist without AUTH_IMPORT_UNTIL, for any signer: %s',
    async (method) => {
      const { requestOf, answer } = importing(undefined, {}, { AUTH_IMPORT_UNTIL: '' })
      const sound = await requestOf([ADA])
      const { headers, url } = sound
      const body = method === 'POST' ? await sound.text() : null
      const response = await answer(new Request(url, { method, headers, body }))
      expect(response.status).toBe(404)
    },
  )

  it('that was left on closes itself', async () => {
    const { send, subBy } = importing()
    pass(86_399)
    expect((await send([['old-ben', 'one', 'ben']])).status).toBe(200)
    pass(1)
    expect((await send([ADA])).status).toBe(404)
    expect(await subBy('one', 'ben')).toBe('old-ben')
  })

  it('that is open is said at the start, once', async () => {
    const warned: unknown[] = []
    const logger = { warn: (code: string) => void warned.push(code), info: () => {} }
    const { send } = importing(undefined, { logger })
    await send([ADA])
    await send([ADA])
    expect(warned).toEqual(['import-open'])
  })

  it('takes POST alone while it is there', async () => {
    const { answer, requestOf } = importing()
    const { url, headers } = await requestOf([ADA])
    const response = await answer(new Request(url, { headers }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each(['2026-11-08T00:00:01Z', '2027-01-01', 'tomorrow', '1', '2026-13-01', 'Nov 3 2026'])(
    'open for longer than a week, or until an invalid date, is refused by name: %s',
    (until) => {
      const resolve = () => importUntil({ AUTH_IMPORT_UNTIL: until }, Date.now())
      expect(resolve).toThrow(InvalidConfiguration)
      expect(resolve).toThrow(/AUTH_IMPORT_UNTIL/)
    },
  )

  it.each(['2026-11-08', '2026-11-08T00:00:00Z', '2026-11-08T01:00:00+01:00', '2020-01-01'])(
    'may be open until %s',
    (until) => {
      expect(importUntil({ AUTH_IMPORT_UNTIL: until }, Date.now())).toBe(Date.parse(until))
    },
  )
})

describe('a request that was signed for another service', () => {
  it.each([
    ['its staging', { at: 'https://staging.example' }],
    ['another port', { at: 'http://localhost:8788' }],
    ['a host that begins alike', { at: 'http://localhost.evil.example:8787' }],
  ])('with the same secret, %s, changes nothing, and the answer names this one', async (_, at) => {
    const { send, calls, subBy } = importing()
    const answer = await send([ADA], at)
    expect([answer.status, await answer.json()]).toEqual([
      401,
      { error: 'ImportRefused', reason: 'other-host', origin: 'http://localhost:8787' },
    ])
    expect(calls).toEqual([])
    expect(await subBy('one', 'ada')).not.toBe('old-ada')
  })

  it('is compared with AUTH_URL, whatever host the request names', async () => {
    const AUTH_URL = 'https://auth.example'
    const { send } = importing(undefined, {}, { AUTH_URL })
    expect((await send([ADA])).status).toBe(401)
    expect((await send([ADA], { at: AUTH_URL })).status).toBe(200)
    // The scheme may be that of a proxy.
    expect((await send([ADA], { at: 'http://auth.example' })).status).toBe(200)
  })

  it('attack: a request for staging is sent to a service on Node whose host only the request names', async () => {
    const staging = 'https://staging.example'
    const sendAs = async (env: Record<string, string>) => {
      const made = importing(undefined, {}, { NODE_ENV: 'production', ...env })
      const { headers, body } = await made.requestOf([ADA], { at: staging })
      const request = new Request(`${staging}/auth/import`, {
        ...{ method: 'POST', headers, body, duplex: 'half' },
      })
      return { ...made, told: await made.answer(request) }
    }
    const { told, calls } = await sendAs({})
    expect([told.status, await told.json()]).toEqual([
      401,
      { error: 'ImportRefused', reason: 'other-host' },
    ])
    expect(calls).toEqual([])
    for (const env of [{ AUTH_URL: staging }, { AUTH_TRUSTED_ORIGINS: staging }]) {
      expect((await sendAs(env)).told.status).toBe(200)
    }
  })

  it('by a command of version 0.2, which names none, is told to be updated', async () => {
    const { requestOf, answer, calls } = importing()
    const request = await requestOf([ADA])
    const [time, nonce, digest, , id, mac] = (request.headers.get(IMPORT_HEADER) ?? '').split('.')
    request.headers.set(IMPORT_HEADER, [time, nonce, digest, id, mac].join('.'))
    const response = await answer(request)
    expect([response.status, await response.json()]).toEqual([
      426,
      { error: 'ImportRefused', reason: 'old-command' },
    ])
    expect(calls).toEqual([])
  })

  it('and has its host changed on the way is refused', async () => {
    const { requestOf, answer } = importing()
    const request = await requestOf([ADA], { at: 'https://staging.example' })
    const parts = (request.headers.get(IMPORT_HEADER) ?? '').split('.')
    parts[3] = Buffer.from('localhost:8787').toString('base64url')
    request.headers.set(IMPORT_HEADER, parts.join('.'))
    expect(await (await answer(request)).json()).toMatchObject({ reason: 'bad-signature' })
  })
})

describe('a request that brings accounts', () => {
  it.each<[string, { header?: string; [name: string]: unknown }, string]>([
    ['unsigned', { header: '' }, 'malformed'],
    ['signed with rubbish', { header: 'a.b.c' }, 'malformed'],
    ['signed with another secret', { secret: 'another-secret-0123456789-abcdefgh' }, 'unknown-key'],
    ['signed for another path', { signed: '/auth/session' }, 'bad-signature'],
    ['with another body than the signed one', { body: '{"accounts":[]}' }, 'bad-signature'],
    ['older than a minute', { time: Date.UTC(2026, 10, 1) / 1000 - 61 }, 'stale'],
    ['of the future', { time: Date.UTC(2026, 10, 1) / 1000 + 61 }, 'stale'],
  ])('%s changes nothing', async (_, { header, ...changes }, reason) => {
    const { requestOf, answer, subBy, calls } = importing()
    const request = await requestOf([ADA], changes)
    if (header !== undefined) request.headers.set(IMPORT_HEADER, header)
    const response = await answer(request)
    expect([response.status, await response.json()]).toEqual([
      401,
      { error: 'ImportRefused', reason },
    ])
    expect(calls).toEqual([])
    expect(await subBy('one', 'ada')).not.toBe('old-ada')
  })

  it.each<[string, (header: string) => string]>([
    ['with something before it', (header) => `x${header}`],
    ['with something after it', (header) => `${header}x`],
    ['with a part more', (header) => `${header}.x`],
    ['with a part less', (header) => header.slice(0, header.lastIndexOf('.'))],
    ['with a time of thirteen digits', (header) => `000${header}`],
    ['with no time', (header) => header.replace(/^\d+/, '')],
    ['with a nonce of 21 characters', (header) => header.replace(/\.[\w-]/, '.')],
    ['with a key’s id of 7 characters', (header) => header.replace(/\.([\w-]{7})[\w-]\./, '.$1.')],
  ])('%s it is malformed, and changes nothing', async (_, change) => {
    const { requestOf, answer, calls } = importing()
    const request = await requestOf([ADA])
    request.headers.set(IMPORT_HEADER, change(request.headers.get(IMPORT_HEADER) ?? ''))
    const response = await answer(request)
    expect([response.status, await response.json()]).toMatchObject([401, { reason: 'malformed' }])
    expect(calls).toEqual([])
  })

  it.each([-60, 60])('that is %i s off still counts', async (seconds) => {
    const { send } = importing()
    const time = Date.UTC(2026, 10, 1) / 1000 + seconds
    expect((await send([ADA], { time })).status).toBe(200)
  })

  it('from the future that is stolen counts once, up to the last second in which it is good', async () => {
    const { requestOf, answer } = importing()
    const request = await requestOf([ADA], { time: Date.UTC(2026, 10, 1) / 1000 + 60 })
    expect((await answer(request.clone() as Request)).status).toBe(200)
    for (const seconds of [60, 59, 1]) {
      pass(seconds)
      const again = await answer(request.clone() as Request)
      expect([again.status, await again.json()]).toMatchObject([401, { reason: 'replayed' }])
    }
    pass(1)
    expect(await (await answer(request)).json()).toMatchObject({ reason: 'stale' })
  })

  it('may have as many accounts as are taken, and the issuer of each', async () => {
    const { send } = importing()
    const row = (_: unknown, at: number) => [`old-${at}`, 'one', `${at}`, 'https://one.example']
    const answer = await send(Array.from({ length: MAX_IMPORT }, row))
    expect([answer.status, await answer.json()]).toMatchObject([200, { added: MAX_IMPORT }])
  })

  it('that was signed with a secret that is being rotated out still counts', async () => {
    const newer = 'a-newer-secret-0123456789-abcdefgh'
    const { send } = importing(undefined, { secret: [newer, secret] })
    expect((await send([ADA])).status).toBe(200)
  })

  it('does not count as an app’s proof, and the reverse: each has a key of its own', async () => {
    const { requestOf, answer } = importing()
    const request = await requestOf([ADA])
    const [time, nonce, digest, host, , mac] = (request.headers.get(IMPORT_HEADER) ?? '').split('.')
    const { id } = await proofKeyOf(secret)
    request.headers.set(IMPORT_HEADER, [time, nonce, digest, host, id, mac].join('.'))
    expect((await answer(request)).status).toBe(401)
  })

  it('that is stolen and sent a hundred times at once counts once', async () => {
    const { requestOf, answer } = importing()
    const request = await requestOf([ADA])
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => answer(request.clone() as Request)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(99)
  })

  it.each([
    ['no JSON', 'x'],
    ['no list', '{"accounts":{}}'],
    ['more than are taken', JSON.stringify({ accounts: Array(MAX_IMPORT + 1).fill(ADA) })],
    ['of numbers', '{"accounts":[[1,"one","ada"]]}'],
    ['partly of numbers', '{"accounts":[["old-ada","one","ada"],[1,"one","ben"]]}'],
    ['too short', '{"accounts":[["old-ada","one"]]}'],
    ['too long', '{"accounts":[["a","one","b","c","d"]]}'],
    ['nothing', 'null'],
  ])('with accounts that are %s is refused', async (_, text) => {
    const { requestOf, answer, subBy } = importing()
    const body = new TextEncoder().encode(text)
    const { url } = await requestOf([])
    const key = await proofKeyOf(secret, 'import')
    const header = await signImport(key, new URL(url), body, Date.now() / 1000)
    const headers = { [IMPORT_HEADER]: header, 'content-type': 'application/json' }
    const response = await answer(new Request(url, { method: 'POST', headers, body }))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('has at most 250 accounts.')
    expect(await subBy('one', 'ada')).not.toBe('old-ada')
  })

  it('above 64 KiB is refused', async () => {
    const { send } = importing()
    expect((await send([['a', 'one', 'x'.repeat(65_536)]])).status).toBe(413)
  })

  it('is answered with 503 if the ledger cannot say that it is new, and brings nothing', async () => {
    const { send, faults, subBy } = importing()
    faults.set('consume', fails)
    expect((await send([ADA])).status).toBe(503)
    faults.clear()
    expect(await subBy('one', 'ada')).not.toBe('old-ada')
  })

  it('is one line of the log, which names no user', async () => {
    const { bring, lines } = importing()
    await bring(ADA, ['old-ben', 'one', 'ben'])
    await bring(ADA)
    expect(lines).toMatchObject([{ event: 'accounts-imported', by: 'operator', count: 2 }])
    expect(JSON.stringify(lines)).not.toMatch(/ada|ben/)
  })
})
