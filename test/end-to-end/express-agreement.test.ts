import type { IncomingMessage } from 'node:http'
import { getSession, MiddlewareAuth, requireSession, type Session } from '@latchkey/express'
import { createVerifier } from '@latchkey/session'
import {
  cookieName,
  deriveSessionKeys,
  exportJwks,
  SESSION_COOKIE,
  signSessionToken,
} from '@latchkey/session/issue'
import { mintSession } from '@latchkey/session/testing'
import express4 from 'express4'
import express5 from 'express5'
import { expect, test } from 'vitest'
import { inProcess, listen, SECRET } from '../express/support.ts'

/** Genuine, forged and altered tokens: the service, Express and the bare verifier agree on each. */
const OTHER = 'another-secret-of-the-tests-0123456789ab'
const name = cookieName(SESSION_COOKIE, { secure: false })

async function tokens(issuer: string): Promise<string[]> {
  const made: string[] = []
  const users = Array.from({ length: 25 }, (_, index) => ({
    id: `u${index}`,
    name: `User ${index}`,
  }))
  const { signing } = await deriveSessionKeys([SECRET])
  for (const [index, user] of users.entries()) {
    const good = await mintSession({ secret: SECRET, issuer, user })
    const token = good.cookies[0]?.[1] ?? ''
    const [head = '', body = '', signature = ''] = token.split('.')
    const bent = { ...good.claims, ...BENDS[index % BENDS.length] }
    const forged = await mintSession({ secret: OTHER, issuer, user })
    const elsewhere = await mintSession({ secret: SECRET, issuer: `${issuer}x`, user })
    const none = Buffer.from('{"alg":"none","typ":"session+jwt"}').toString('base64url')
    made.push(token, forged.cookies[0]?.[1] ?? '', elsewhere.cookies[0]?.[1] ?? '')
    made.push(await signSessionToken(bent as never, signing))
    made.push(`${none}.${body}.`, `${head}.${body}.${signature.slice(0, -2)}`)
    made.push(`${head}.${body.slice(0, index)}A${body.slice(index + 1)}.${signature}`)
    made.push(token.slice(0, index * 7))
  }
  return made
}

const past = Math.floor(Date.now() / 1000) - 10_000
const BENDS = [
  { sexp: past, exp: past - 1, iat: past - 100, auth_time: past - 100 },
  { iat: past + 20_000, exp: past + 20_300, auth_time: past },
  { sid: 'short' },
  { sub: '' },
  { amr: [] },
  { session: null },
  { iss: 'https://evil.example/auth' },
]

test.each([
  ['Express 4', express4 as unknown as typeof express5],
  ['Express 5', express5],
])('200 tokens are judged the same everywhere, with %s', async (_name, express) => {
  const config = { ...inProcess(), basePath: '/auth' }
  const app = express()
  app.use('/auth', MiddlewareAuth(config))
  app.get('/me', (req, res, next) => {
    getSession(req, config).then((session) => res.json(session), next)
  })
  const running = await listen(app)
  const issuer = `${running.url}/auth`
  const verifier = createVerifier({ secret: SECRET, issuer })
  const all = await tokens(issuer)
  expect(all).toHaveLength(200)
  let good = 0
  for (const token of all) {
    const cookie = `${name}=${token}`
    const bare = JSON.stringify((await verifier.read(cookie)).session)
    const ofExpress = (await running.ask('/me', { headers: { cookie } })).text
    const ofService = (await running.ask('/auth/session', { headers: { cookie } })).text
    expect([ofExpress, ofService], token).toEqual([bare, bare])
    if (bare !== 'null') good++
  }
  expect(good).toBe(25)
  verifier.close()
  await running.stop()
})

test('public keys suffice to read a session, and a token of another key is refused', async () => {
  const issuer = 'http://localhost:3000/auth'
  const { cookie, session } = await mintSession({ secret: SECRET, issuer, user: { id: 'bo' } })
  const req = { headers: { host: 'localhost:3000', cookie }, socket: {} } as IncomingMessage
  const keysOf = async (secret: string) => exportJwks((await deriveSessionKeys([secret])).verify)
  expect(await getSession(req, { publicKeys: await keysOf(SECRET) })).toEqual(session)
  const text = JSON.stringify(await keysOf(SECRET))
  expect(await getSession(req, { publicKeys: text, basePath: '/auth' })).toEqual(session)
  expect(await getSession(req, { publicKeys: text, basePath: '/other' })).toBeNull()
  expect(await getSession(req, { publicKeys: await keysOf(OTHER) })).toBeNull()
})

test('the types of Express 4 fit as well', () => {
  const config = inProcess()
  const app = express4()
  app.use('/auth/*', MiddlewareAuth(config))
  app.get('/', requireSession({}, config), async (req, res) => {
    const session: Session | null | undefined = res.locals.session
    res.json([session, await getSession(req, config)])
  })
  expect(app).toBeTypeOf('function')
})
