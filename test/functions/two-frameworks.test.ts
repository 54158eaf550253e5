import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ComponentKitAuth } from '@latchkey/sveltekit'
import credentials from '@latchkey/sveltekit/providers/credentials'
import express from 'express5'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { SECRET, signIn, signOut, startApp } from '../express/support.js'

/** docs/which-shape.md, "Two apps on one domain, without Cloudflare", as its steps say. */
const folder = mkdtempSync(join(tmpdir(), 'two-frameworks-'))
beforeAll(() => {
  vi.stubEnv('AUTH_SECRET', SECRET)
  vi.stubEnv('AUTH_STORE', `file:${join(folder, 'auth.db')}`)
  vi.stubEnv('AUTH_URL', 'https://example.com/auth')
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const providers = [
  credentials({
    authorize: ({ username, password }) =>
      password === 'right' ? { id: String(username), name: String(username) } : null,
  }),
]

test('an Express app and a SvelteKit app with one secret, store and address share the sign-in and the sign-out', async () => {
  const stops: (() => Promise<void>)[] = []
  const answering = await startApp(
    { express, wildcard: '/*splat' },
    { providers },
    undefined,
    stops,
  )
  const reading = ComponentKitAuth({ providers, revocation: { maxDelay: 10 } })
  const { cookie } = await signIn(answering)
  /** The SvelteKit app's answer at a path; its own page is the name of the user. */
  const visit = async (path: string): Promise<unknown> => {
    const request = new Request(`https://example.com${path}`, { headers: { cookie } })
    const event = {
      request,
      url: new URL(request.url),
      locals: {} as App.Locals,
      isDataRequest: false,
      getClientAddress: () => '192.0.2.7',
      cookies: { set() {} },
    }
    const page = async () => Response.json((await event.locals.auth())?.user?.name ?? null)
    return (await reading.handle({ event, resolve: page })).json()
  }
  expect(await visit('/')).toBe('ann')
  await signOut(answering, cookie)
  // At once if the app asks, and soon if it reads by itself.
  expect(await visit('/auth/session?online=1')).toBeNull()
  await expect.poll(() => visit('/')).toBeNull()
  await Promise.all(stops.map((stop) => stop()))
})
