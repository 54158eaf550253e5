import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createVerifier, type SessionClaims } from '@latchkey/session'
import {
  deriveBytes,
  deriveSessionKeys,
  exportJwks,
  signSessionToken,
} from '@latchkey/session/issue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const page = ['session-token', 'verify-sessions']
  .map((name) => readFileSync(join(rootDir, 'docs', `${name}.md`), 'utf8'))
  .join('\n')

/** The block of code behind a line or a heading of the pages. */
function block(after: string): string {
  const [, code] = page.split(`\n${after}\n\n\`\`\``)
  const [text = ''] = code?.split('\n```') ?? []
  return text.slice(text.indexOf('\n') + 1)
}

const secret = block('secret')
const keys = await deriveSessionKeys([secret])

describe('the test vector', () => {
  const payload = JSON.parse(block('payload')) as SessionClaims

  test('equals the keys that we derive and the token that we sign', async () => {
    const seed = await deriveBytes(secret, 'latchkey/session/ed25519/v1', 32)
    expect(Buffer.from(seed).toString('hex')).toBe(block('seed, hexadecimal'))
    expect(exportJwks(keys.verify).keys.map((key) => JSON.stringify(key))).toEqual([
      block('public key'),
    ])
    expect(await signSessionToken(payload, keys.signing)).toBe(block('token'))
  })

  test('verifies, and its parts are as the page shows them', async () => {
    const now = () => payload.iat * 1000
    const publicKeys = exportJwks(keys.verify)
    const verifier = createVerifier({ publicKeys, issuer: payload.iss, now })
    const reading = await verifier.read(`__Host-auth.session-token=${block('token')}`)
    expect(reading).toMatchObject({ isExpired: false, claims: payload })
    const parts = block('token').split('.', 2)
    const texts = parts.map((part) => Buffer.from(part, 'base64url').toString())
    expect(texts).toEqual([block('header'), block('payload')])
  })
})

describe('the example with jose alone', () => {
  let server: Server
  let issuer: string

  beforeAll(async () => {
    const jwks = JSON.stringify(exportJwks(keys.verify))
    server = createServer((req, res) => {
      res.writeHead(req.url === '/auth/jwks.json' ? 200 : 404).end(jwks)
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth`
  })
  afterAll(() => server?.close())

  test('reads a session and refuses the tokens that the page names', async () => {
    const now = Math.floor(Date.now() / 1000)
    const claims: SessionClaims = {
      iss: issuer,
      sub: 'user-1',
      sid: 'AAECAwQFBgcICQoLDA0ODw',
      iat: now,
      exp: now + 300,
      auth_time: now,
      sexp: now + 3_600,
      amr: ['videoapp'],
      session: { user: { id: 'user-1' } },
    }
    const sign = (changes: Partial<SessionClaims>) =>
      signSessionToken({ ...claims, ...changes }, keys.signing)
    const good = await sign({})
    const tokens = {
      good,
      respelled: good.slice(0, -1) + next(good.slice(-1)),
      padded: `${good}==`,
      otherType: await signRaw({ typ: 'JWT' }, claims),
      moreHeader: await signRaw({ jwk: exportJwks(keys.verify).keys[0] }, claims),
      critical: await signRaw({ crit: ['x'], x: 1 }, claims),
      otherIssuer: await sign({ iss: 'https://other.example/auth' }),
      future: await sign({ iat: now + 120 }),
      over: await sign({ iat: now - 20, exp: now - 10 }),
      sessionOver: await sign({ sexp: now - 10 }),
      notYet: await signRaw({}, { ...claims, nbf: now + 120 }),
      forSomebodyElse: await signRaw({}, { ...claims, aud: 'https://other.example' }),
      tooLong: await sign({ exp: now + 86_401, sexp: now + 100_000 }),
      withoutSession: await signRaw({}, { ...claims, session: undefined }),
      otherKey: await signSessionToken(
        claims,
        (await deriveSessionKeys([`${secret}-other`])).signing,
      ),
    }
    const fates = await runExample(tokens)
    const { good: goodFate, ...others } = fates
    expect(goodFate).toMatchObject({ sub: 'user-1', session: { user: { id: 'user-1' } } })
    for (const [name, fate] of Object.entries(others)) expect(fate, name).toBe('refused')
    expect(Object.keys(others)).toHaveLength(14)
  })

  async function runExample(tokens: Record<string, string>): Promise<Record<string, unknown>> {
    const example = block('## With jose alone').replace('https://example.com/auth', issuer)
    const program = `${example}
      const fates: Record<string, unknown> = {}
      for (const [name, token] of Object.entries(JSON.parse(process.argv[1] ?? ''))) {
        fates[name] = await readSession(token as string).catch(() => 'refused')
      }
      console.log(JSON.stringify(fates))`
    const args = ['--input-type=module-typescript', '--eval', program, JSON.stringify(tokens)]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: rootDir })
    return JSON.parse(stdout)
  }

  async function signRaw(header: object, payload: object): Promise<string> {
    const whole = { alg: 'EdDSA', typ: 'session+jwt', kid: keys.signing.kid, ...header }
    const text = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
    const input = `${text(whole)}.${text(payload)}`
    const { privateKey } = keys.signing
    const signature = await crypto.subtle.sign('Ed25519', privateKey, Buffer.from(input))
    return `${input}.${Buffer.from(signature).toString('base64url')}`
  }

  function next(character: string): string {
    return String.fromCharCode(character.charCodeAt(0) + 1)
  }
})
