import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deriveSessionKeys, exportJwks, signRevocationFeed } from '@latchkey/session/issue'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'

const readme = readFileSync(join(rootDir, 'session/README.md'), 'utf8')
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)
const [reading = ''] = examples
const minting = examples.find((code) => code.includes('mintSession(')) ?? ''

let server: Server
let issuer: string

/** The part of the service that the examples need. */
beforeAll(async () => {
  const keys = await deriveSessionKeys([AUTH_SECRET])
  server = createServer(async ({ url }, answer) => {
    const next = Math.floor(Date.now() / 1000)
    const feed = { iss: issuer, since: 0, sids: [], users: [], next, window: 300 }
    if (url === '/auth/jwks.json') answer.end(JSON.stringify(exportJwks(keys.verify)))
    else answer.end(await signRevocationFeed(feed, keys.signing))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth`
})
afterAll(() => server?.close())

async function run(program: string): Promise<{ stdout: string; stderr: string }> {
  const args = ['--input-type=module', '--eval', program]
  const env = { ...process.env, AUTH_SECRET }
  return promisify(execFile)(process.execPath, args, { cwd: rootDir, env })
}

test('the two examples of the README run together, and the program ends', async () => {
  const minted = minting
    .replaceAll('http://localhost:3000/auth', issuer)
    .replace(/const response = .*/, '')
  const { stdout, stderr } = await run(`
    ${reading.replaceAll('https://example.com/auth', issuer)}
    ${minted}
    const request = new Request('http://localhost:3000/inbox', { headers: { cookie } })
    console.log(JSON.stringify(await whoIs(request)))
  `)
  expect(JSON.parse(stdout)).toEqual({
    user: { id: 'ada', name: 'Ada', email: null, image: null },
    headers: [],
  })
  expect(stderr).toBe('')
})
