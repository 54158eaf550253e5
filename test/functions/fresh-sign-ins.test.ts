import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MintedSession } from '@latchkey/session/testing'
import type { Actions, ServerLoad } from '@sveltejs/kit'
import type { Express } from 'express'
import type { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { listen } from '../express/support.ts'
import { examplesIn } from '../support/example-below.ts'

/** The examples of docs/fresh-sign-ins.md, run unchanged. */
const page = readFileSync(join(rootDir, 'docs', 'fresh-sign-ins.md'), 'utf8')
const exampleBelow = examplesIn('fresh-sign-ins')
const ORIGIN = 'http://localhost:3000'

beforeEach(() => {
  vi.stubEnv('AUTH_SECRET', 'a-secret-of-my-tests-0123456789abcdef')
  vi.stubEnv('AUTH_GITHUB_ID', 'id')
  vi.stubEnv('AUTH_GITHUB_SECRET', 'secret')
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

const minted = () => exampleBelow<{ stale: MintedSession; strong: MintedSession }>('Test it')

/** One request to an example, as a browser at localhost:3000 sends it. */
type Ask = (path: string, cookie: string, method?: string) => Promise<Response>

async function inHono(): Promise<{ ask: Ask; stop(): Promise<void> }> {
  const { app } = await exampleBelow<{ app: Hono }>('In Hono')
  return {
    ask: async (path, cookie, method = 'GET') =>
      app.request(ORIGIN + path, { method, headers: { cookie, referer: `${ORIGIN}/payout` } }),
    stop: async () => {},
  }
}

async function inExpress(): Promise<{ ask: Ask; stop(): Promise<void> }> {
  const { app } = await exampleBelow<{ app: Express }>('In Express')
  const { ask, stop } = await listen(app)
  return {
    stop,
    async ask(path, cookie, method = 'GET') {
      const headers = { cookie, host: 'localhost:3000', referer: `${ORIGIN}/payout` }
      const answer = await ask(path, { method, headers })
      return new Response(answer.text, {
        status: answer.status,
        headers: answer.headers as Record<string, string>,
      })
    },
  }
}

describe.each([
  ['Express', inExpress],
  ['Hono', inHono],
])('in %s', (_, start) => {
  test('ten minutes after a sign-in the user is led to sign in, and a form is refused', async () => {
    const { ask, stop } = await start()
    const { stale, strong } = await minted()
    const asked = await ask('/payout?n=1', stale.cookie)
    expect([asked.status, asked.headers.get('location')]).toEqual([
      302,
      '/auth/signin?maxAge=300&callbackUrl=%2Fpayout%3Fn%3D1',
    ])
    const posted = await ask('/payout', stale.cookie, 'POST')
    expect([posted.status, await posted.json()]).toEqual([
      401,
      {
        error: 'FreshSignInRequired',
        maxAge: 300,
        url: `${ORIGIN}/auth/signin?maxAge=300&callbackUrl=%2Fpayout`,
      },
    ])
    // As the page shows it, on one line.
    expect(page.replaceAll(/,\n +/g, ', ')).toContain(
      `WWW-Authenticate: ${posted.headers.get('www-authenticate')}`,
    )
    expect(await (await ask('/payout', strong.cookie, 'POST')).text()).toBe('Paid.')
    expect((await ask('/payout', '')).headers.get('location')).toBe(
      '/auth/signin?callbackUrl=%2Fpayout',
    )
    await stop()
  })

  test('a user with two factors gets the keys, and a user with one is asked for another', async () => {
    const { ask, stop } = await start()
    const { stale, strong } = await minted()
    expect(await (await ask('/keys', strong.cookie)).text()).toBe('Your keys')
    expect((await ask('/keys', stale.cookie)).headers.get('location')).toBe(
      '/auth/signin?maxAge=3600&acr=2&callbackUrl=%2Fkeys',
    )
    expect((await ask('/keys', '')).headers.get('location')).toBe(
      '/auth/signin?callbackUrl=%2Fkeys',
    )
    await stop()
  })
})

test('in SvelteKit the page leads to the sign-in, and its form is not sent again', async () => {
  const { load, actions } = await exampleBelow<{ load: ServerLoad; actions: Actions }>(
    'In SvelteKit',
  )
  const asked: unknown[] = []
  const event = (session: object | null) => {
    const url = new URL(`${ORIGIN}/payout?n=1`)
    const auth = async (needs: unknown) => {
      asked.push(needs)
      return session
    }
    return { url, locals: { auth } } as never
  }
  const location = '/auth/signin?maxAge=300&callbackUrl='
  await expect(load(event(null))).rejects.toMatchObject({
    status: 303,
    location: `${location}%2Fpayout%3Fn%3D1`,
  })
  await expect(actions.default?.(event(null))).rejects.toMatchObject({
    status: 303,
    location: `${location}/payout`,
  })
  const session = { user: { name: 'Ada' } }
  expect(await load(event(session))).toEqual({ name: 'Ada' })
  expect(await actions.default?.(event(session))).toEqual({ paid: true })
  expect(asked).toEqual(Array.from({ length: 4 }, () => ({ maxAge: 300 })))
})

test('a script leads the person to sign in, once, and nowhere after any other answer', async () => {
  type Send = (path: string, fields: Record<string, string>) => Promise<Response>
  const { send } = await exampleBelow<{ send: Send }>('What a client gets')
  const led: string[] = []
  vi.stubGlobal('location', { assign: (url: string) => void led.push(url) })
  const url = `${ORIGIN}/auth/signin?maxAge=300`
  const answers = [
    Response.json({ error: 'FreshSignInRequired', maxAge: 300, url }, { status: 401 }),
    Response.json({ error: 'SessionRequired' }, { status: 401 }),
    new Response('Paid.'),
  ]
  const fetched = vi.fn(async () => answers.shift() as Response)
  vi.stubGlobal('fetch', fetched)
  for (const status of [401, 401, 200]) {
    expect((await send('/payout', { to: 'bo' })).status).toBe(status)
  }
  expect(led).toEqual([url])
  expect(fetched).toHaveBeenCalledTimes(3)
})
