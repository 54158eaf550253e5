import { expect, it } from 'vitest'
import type { Sandbox } from './sandbox.js'
import { exchange, freshCode, userInfo } from './test-support.js'
import worker from './worker.js'

const serve = worker.fetch as (request: Request, env: object, ctx?: object) => Promise<Response>

/** The Worker as `wrangler dev` asks it. */
const served = {
  request: (path: string, init?: RequestInit) =>
    serve(new Request(new URL(path, 'http://localhost:8788'), init), {}),
} as Sandbox

it('on one’s own machine people have no pictures, which a browser could not fetch', async () => {
  const { body } = await exchange(served, await freshCode(served))
  const pictures = 'avatar_url,avatar_url_100,avatar_large_url'
  const { data } = await userInfo(served, body.access_token, `?fields=display_name,${pictures}`)
  expect(data.user).toEqual({ display_name: 'Ada Example' })
})
