import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { limitedFetch, timeLimit } from './limited-fetch.js'

const answering = (make: (init: RequestInit) => Response | Promise<Response>) =>
  limitedFetch(async (_, init) => make(init as RequestInit), timeLimit(10_000), 1_000)
const ask = (make: (init: RequestInit) => Response | Promise<Response>) =>
  answering(make)('https://provider.example/', {})
const silent = () => new Promise<never>(() => {})

async function givenUp(attempt: Promise<Response>): Promise<void> {
  const isOver = vi.fn()
  attempt.catch(isOver)
  await advance(9_999)
  expect(isOver).not.toHaveBeenCalled()
  await advance(1)
  await expect(attempt).rejects.toThrow('No answer within 10000 ms')
}

const { advance } = clock({ start: 'now', timers: true })

describe('an answer of a provider', () => {
  it('passes with status, headers and body', async () => {
    const answer = await ask(() =>
      Response.json({ a: 1 }, { status: 401, headers: { 'x-log': 'l' } }),
    )
    expect(answer.status).toBe(401)
    expect(answer.headers.get('x-log')).toBe('l')
    expect(await answer.json()).toEqual({ a: 1 })
  })

  it('that is too long is refused during the download, and the rest is not read', async () => {
    let pieces = 0
    let cancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(100 + 0 * pieces++)),
      cancel: () => {
        cancelled = true
      },
    })
    await expect(ask(() => new Response(body))).rejects.toThrow('longer than 1000 bytes')
    expect(pieces).toBeLessThan(15)
    expect(cancelled).toBe(true)
  })

  it('with exactly the limit is read', async () => {
    expect((await (await ask(() => new Response('x'.repeat(1_000)))).text()).length).toBe(1_000)
    await expect(ask(() => new Response('x'.repeat(1_001)))).rejects.toThrow(
      'longer than 1000 bytes',
    )
  })

  it.each([301, 302, 303, 307, 308, 304])(
    'with the redirect status %i is refused',
    async (status) => {
      const headers = { location: 'http://169.254.169.254/latest/meta-data' }
      const attempt = ask(() => new Response(null, { status, headers }))
      await expect(attempt).rejects.toThrow('answered with a redirect')
    },
  )

  it('is requested without following redirects', async () => {
    await ask((init) => {
      expect(init.redirect).toBe('manual')
      return new Response()
    })
  })

  it('that is an opaque redirect, as in browsers, is refused', async () => {
    await expect(ask(() => Response.error())).rejects.toThrow('answered with a redirect')
  })

  it('that never comes is given up, and the request is aborted', async () => {
    let signal: AbortSignal | null | undefined
    const attempt = ask((init) => {
      signal = init.signal
      return silent()
    })
    await givenUp(attempt)
    expect(signal?.aborted).toBe(true)
  })

  it('with a body that never ends is given up', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
    })
    await givenUp(ask(() => new Response(body)))
  })

  it('with an empty body and status 204 passes', async () => {
    expect((await ask(() => new Response(null, { status: 204 }))).status).toBe(204)
  })
})
