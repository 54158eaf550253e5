import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mintSession } from '@latchkey/session/testing'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { ask } from '../express/support.ts'
import { freePort } from '../support/free-port.ts'

/** The first example of adapters/express/README.md, as a process of its own. */
const readme = readFileSync(join(rootDir, 'adapters/express/README.md'), 'utf8')
const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
const folder = join(rootDir, 'test', '.express-readme')
const AUTH_SECRET = 'a-secret-of-the-express-tests-0123456789'

let child: ChildProcess | undefined
afterEach(async () => {
  if (child?.exitCode === null && child.kill()) await once(child, 'exit')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function start(express: string, config: string): Promise<number> {
  const port = await freePort()
  const code = example
    .replace("from 'express'", `from '${express}'`)
    .replace('{ providers: [videoapp()] }', config)
    .replace('listen(3000)', `listen(${port}, () => console.log('ready'))`)
  expect(code).toContain('ready')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${express}.ts`)
  writeFileSync(file, code)
  const provider = { AUTH_VIDEO_ID: 'id', AUTH_VIDEO_SECRET: 'secret' }
  const env = { ...process.env, ...provider, AUTH_SECRET, NODE_ENV: 'test' }
  child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const isUp = await Promise.race([
    new Promise((resolve) => child?.stdout?.once('data', () => resolve(true))),
    once(child, 'exit'),
  ])
  expect(isUp).toBe(true)
  return port
}

const cookieFor = async (port: number, age?: number) => {
  const issuer = `http://127.0.0.1:${port}/auth`
  const tokenMaxAge = age === undefined ? {} : { tokenMaxAge: age }
  const user = { id: 'ada', name: '<b>Ada</b>' }
  return (await mintSession({ secret: AUTH_SECRET, issuer, user, ...tokenMaxAge })).cookie
}

describe.each(['express4', 'express5'])('with %s', (express) => {
  test('the example greets a signed-in person as text, and sends others to sign in', async () => {
    const port = await start(express, '{ providers: [videoapp()] }')
    const stranger = await ask(port, '/')
    expect([stranger.status, stranger.headers.location]).toEqual([
      302,
      '/auth/signin?callbackUrl=/',
    ])
    const greeted = await ask(port, '/', { headers: { cookie: await cookieFor(port) } })
    expect(greeted.text).toBe('Hello <b>Ada</b>')
    expect(greeted.headers['content-type']).toMatch('text/plain')
  })

  test('the example answers 503 while the Worker is down, and works again afterwards', async () => {
    const port = await start(express, `{ worker: 'http://127.0.0.1:${await freePort()}/auth' }`)
    const headers = { cookie: await cookieFor(port, -1) }
    expect((await ask(port, '/', { headers })).status).toBe(503)
    expect((await ask(port, '/auth/session', { headers })).status).toBe(503)
    expect((await ask(port, '/')).status).toBe(302)
  })
})
