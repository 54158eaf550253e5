import { describe, expect, test, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth as createCore } from '../../core.js'
import { createAuth } from '../../index.js'
import { memoryStore } from '../../stores/memory.js'
import { Browser, configWith } from '../../test-support/browser.js'
import { health } from './index.js'

const { pass } = clock({ start: 'now' })

/** A service whose store the test can take away. */
function service() {
  const store = memoryStore()
  const rows = { ...store.rows }
  let answer: typeof rows.read = store.rows.read
  const read = vi.fn((...asked: Parameters<typeof answer>) => answer(...asked))
  const own = { sessions: store.sessions, rows: { ...rows, read } }
  const config = configWith({ store: own })
  const auth = createAuth(config)
  const browser = new Browser(config, { answer: async (request) => auth.fetch(request, {}) })
  return {
    read,
    browser,
    answerBy(other: typeof answer | undefined) {
      answer = other ?? store.rows.read
    },
    async look() {
      const response = await browser.get('/auth/health')
      return [response.status, await response.text()] as const
    },
  }
}

const OK = [200, '{"status":"ok"}']
const AWAY = [503, '{"status":"unavailable"}']
const away = () => Promise.reject(new Error('connect ECONNREFUSED postgres://ada:secret@db'))

describe('GET /health', () => {
  test('is 200 while the store answers, and 503 while it does not, with nothing else in it', async () => {
    const { look, answerBy } = service()
    expect(await look()).toEqual(OK)
    answerBy(away)
    pass(1)
    expect(await look()).toEqual(AWAY)
    answerBy(undefined)
    pass(1)
    expect(await look()).toEqual(OK)
  })

  test('sets no cookie, and no cache keeps it', async () => {
    const { browser } = service()
    const response = await browser.get('/auth/health')
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(response.headers.getSetCookie()).toEqual([])
    const head = await browser.send('/auth/health', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await browser.send('/auth/health', { method: 'POST' })).status).toBe(405)
  })

  test('attack: a flood of calls asks the store once a second', async () => {
    const { look, read } = service()
    const all = await Promise.all(Array.from({ length: 200 }, look))
    expect(new Set(all.map(String))).toEqual(new Set([String(OK)]))
    expect(read).toHaveBeenCalledTimes(1)
    pass(1)
    await Promise.all(Array.from({ length: 200 }, look))
    expect(read).toHaveBeenCalledTimes(2)
  })

  test('is 503 after two seconds if the store hangs', async () => {
    const { look, answerBy } = service()
    answerBy(() => new Promise(() => {}))
    const asked = performance.now()
    expect(await Promise.all([look(), look()])).toEqual([AWAY, AWAY])
    expect(performance.now() - asked).toBeLessThan(4_000)
  })

  test('is there if a service of ./core lists it', async () => {
    const config = { ...configWith() }
    const ask = async (features: (typeof health)[]) => {
      const auth = createCore({ ...config, features })
      return (await auth.fetch(new Request('http://localhost:8787/auth/health'), {})).status
    }
    expect([await ask([]), await ask([health])]).toEqual([404, 200])
  })
})
