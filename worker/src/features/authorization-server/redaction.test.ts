import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { DamagedRecord } from '../../errors.js'
import { fails, faulty } from '../../test-support/faulty.js'
import {
  challenge,
  claimsOf,
  clientSecret,
  oauthIsolate,
  redirectUri,
  verifier,
} from '../../test-support/oauth.js'
import { keyOf } from './grant.js'

const { pass } = clock()

let lines: string[] = []
beforeEach(() => {
  lines = []
  for (const level of ['error', 'warn', 'info', 'debug', 'log'] as const) {
    vi.spyOn(console, level).mockImplementation((...given: unknown[]) => {
      lines.push(given.map(String).join(' '))
    })
  }
})
afterEach(() => void vi.restoreAllMocks())

it('no line of the log has a token, a code, a secret, a name or an address', async () => {
  const { store, inner, faults } = faulty()
  const one = oauthIsolate({ store, config: { logger: {}, debug: true } })
  const secrets = new Set<string>([verifier, challenge, clientSecret, redirectUri, 'made-up-token'])
  const keep = (...texts: readonly unknown[]) => {
    for (const text of texts) if (typeof text === 'string') secrets.add(text)
  }
  /** A grant whose code and tokens are looked for. */
  const grant = async () => {
    const code = await one.code({ nonce: 'the-nonce-of-the-app' })
    const answer = await one.exchange(code)
    const { access_token, refresh_token, id_token } = answer.body
    keep(code, access_token, refresh_token, id_token, claimsOf(answer.accessToken).grant)
    keep('the-nonce-of-the-app', 'ada@people.example')
    return { ...answer, code }
  }

  const replayed = await grant()
  const reused = await grant()
  keep((await one.refresh(reused.refreshToken)).refreshToken)
  pass(31)
  await one.exchange(replayed.code)
  await one.refresh(reused.refreshToken)

  const good = await grant()
  const authorization = `Basic ${btoa(`web:${clientSecret}-wrong`)}`
  keep(authorization)
  await one.post('/oauth/token', { grant_type: 'refresh_token' }, { authorization })
  await one.post('/oauth/token', {
    grant_type: 'made-up-token',
    client_id: 'web',
    client_secret: clientSecret,
  })
  await one.refresh('made-up-token')
  await one.exchange('made-up-token')
  await one.exchange(good.code, { code_verifier: `${verifier}-wrong` })
  await one.refresh(good.refreshToken, { scope: 'made-up-token', resource: 'made-up-token' })
  await one.userInfo('made-up-token')
  await one.revoke('made-up-token')
  await one.send('/oauth/token', { method: 'POST', body: good.refreshToken })

  for (const method of ['liveDocument', 'document', 'documentsOf', 'endAll'] as const) {
    faults.set(method, fails)
    await one.refresh(good.refreshToken)
    await one.exchange(await one.code())
    await one.userInfo(good.accessToken)
    await one.revoke(good.refreshToken)
    faults.clear()
  }
  const damaged = await grant()
  const handle = String(claimsOf(damaged.accessToken).grant)
  const document = await inner.ledger.document(keyOf('ada', handle))
  await inner.ledger.changeDocument(keyOf('ada', handle), document?.version ?? 0, 'damaged')
  await one.refresh(damaged.refreshToken)
  await one.userInfo(damaged.accessToken)
  await one.revoke(damaged.refreshToken)
  await one.settled()

  expect(lines.some((line) => line.includes(DamagedRecord.type))).toBe(true)
  expect(lines.some((line) => line.includes('StoreUnavailable'))).toBe(true)
  const text = lines.join('\n')
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    // Nor its ciphertext, or its signature.
    expect(text).not.toContain(secret.split('.').at(-1))
  }
  expect(lines.filter((line) => /code-replayed|refresh-reused/.test(line))).toEqual([
    expect.stringMatching(/^\[auth\]\[warn\] \S+ code-replayed: spa$/),
    expect.stringMatching(/^\[auth\]\[warn\] \S+ refresh-reused: spa$/),
  ])
})
