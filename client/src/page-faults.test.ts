import { setImmediate } from 'node:timers/promises'
import { AuthError, type Session } from '@latchkey/session'
import { describe, expect, it, vi } from 'vitest'
import { openClient, type Page } from './store.js'

const origin = 'https://app.example'
const session = (id: string): Session => ({ user: { id }, expires: '2027-01-01T00:00:00.000Z' })
const ADA = session('ada')

/** A tab whose requests the test answers, in any order. */
function tab(more: object = {}) {
  const asked: { method: string; path: string; answer(data: unknown, status?: number): void }[] = []
  const page = {
    document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
    addEventListener() {},
    BroadcastChannel: undefined,
    location: { origin, hostname: 'app.example', href: `${origin}/here`, assign() {}, reload() {} },
    fetch: (url: string, { method = 'GET' }: { method?: string } = {}) =>
      new Promise<Response>((resolve) => {
        const path = url.slice(origin.length)
        asked.push({
          method,
          path,
          answer: (data, status = 200) => resolve(Response.json(data, { status })),
        })
      }),
    ...more,
  } as unknown as Page
  const answer = async (data: unknown, status?: number) => {
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
    asked.shift()?.answer(data, status)
    await settled()
  }
  return { page, asked, answer }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

describe('the session', () => {
  it('is a session although the app’s callback leaves the user out', async () => {
    const { page, answer } = tab()
    const client = openClient({}, page)
    const asking = client.getSession()
    const nameless = { role: 'member', expires: ADA.expires }
    await answer(nameless)
    expect(await asking).toEqual(nameless)
    expect(client.get().status).toBe('authenticated')
  })

  it.each([400, 403, 404, 429])(
    'is not ended by an answer null with the status %d',
    async (status) => {
      const { page, answer } = tab()
      const client = openClient({ session: ADA }, page)
      const refused = expect(client.getSession()).rejects.toThrow(AuthError)
      await answer(null, status)
      await refused
      expect(client.get().data).toBe(ADA)
    },
  )

  it('that an update has changed is shown, also if a later request was answered earlier', async () => {
    const { page, asked, answer } = tab()
    const client = openClient({ session: ADA }, page)
    const updated = client.update({ name: 'Ada L.' })
    await answer({ csrfToken: 'token' })
    // The user returns to the tab: the service reads this one first.
    const returned = client.getSession()
    const [post, get] = asked.splice(0)
    expect([post?.method, get?.method]).toEqual(['POST', 'GET'])
    get?.answer(ADA)
    await returned
    const changed = { ...ADA, user: { id: 'ada', name: 'Ada L.' } }
    post?.answer(changed)
    await settled()
    asked.shift()?.answer(changed)
    expect(await updated).toEqual(changed)
    expect(client.get().data).toEqual(changed)
  })

  it('that ended beside an update does not come back', async () => {
    const { page, asked, answer } = tab()
    const client = openClient({ session: ADA }, page)
    const updated = expect(client.update({ name: 'Ada L.' })).rejects.toThrow(AuthError)
    await answer({ csrfToken: 'token' })
    const [post] = asked.splice(0)
    const out = client.signOut({ redirect: false })
    await answer({ csrfToken: 'token' })
    await answer({ url: `${origin}/` })
    await out
    post?.answer(ADA)
    await settled()
    asked.shift()?.answer(null)
    await updated
    expect(client.get().data).toBeNull()
  })
})

describe('a listener', () => {
  it('that throws keeps no change from the others, nor from the caller', async () => {
    const told: unknown[] = []
    vi.stubGlobal('queueMicrotask', (call: () => void) => {
      // A browser tells `onerror` what is thrown.
      Promise.resolve()
        .then(call)
        .catch((error) => told.push(error))
    })
    const { page, answer } = tab()
    const client = openClient({ session: ADA }, page)
    const wrong = new Error('wrong')
    client.subscribe(() => {
      throw wrong
    })
    const other = vi.fn()
    client.subscribe(other)
    const asking = client.getSession()
    await answer(null)
    expect(await asking).toBeNull()
    expect(other).toHaveBeenCalledOnce()
    expect(told).toEqual([wrong])
    vi.unstubAllGlobals()
  })

  it('that leaves and comes again in a call is called once for a change', async () => {
    const { page, answer } = tab()
    const client = openClient({ session: ADA }, page)
    client.subscribe(() => {})
    let calls = 0
    const again = () => {
      stop()
      calls += 1
      // Without a limit the tab would stand still.
      if (calls < 9) stop = client.subscribe(again)
    }
    let stop = client.subscribe(again)
    const asking = client.getSession()
    await answer(null)
    await asking
    expect(calls).toBe(1)
  })

  it('that another one ends in a call is not called', async () => {
    const { page, answer } = tab()
    const client = openClient({ session: ADA }, page)
    client.subscribe(() => stop())
    const other = vi.fn()
    const stop = client.subscribe(other)
    const asking = client.getSession()
    await answer(null)
    await asking
    expect(other).not.toHaveBeenCalled()
  })
})

it('a channel that refuses to send does not keep a sign-out from the page', async () => {
  class Refusing extends EventTarget {
    postMessage() {
      throw new DOMException('Forbidden.', 'InvalidStateError')
    }
  }
  const { page, answer } = tab({ BroadcastChannel: Refusing })
  const client = openClient({ session: ADA }, page)
  const out = client.signOut({ redirect: false })
  out.catch(() => {})
  await answer({ csrfToken: 'token' })
  await answer({ url: `${origin}/` })
  expect(await out).toMatchObject({ ok: true })
  expect(client.get().data).toBeNull()
})

it.each(['/auth\\evil', '/auth/\\'])(
  'the base path %j has a backslash, and is refused',
  (basePath) => {
    expect(() => openClient({ basePath })).toThrow(AuthError)
  },
)

it.each(['__proto__', 'constructor', 'toString', '..', ''])(
  'attack: a provider called %j sends no password',
  async (id) => {
    const { page, asked, answer } = tab()
    const client = openClient({ session: null }, page)
    const into = client.signIn(id, { password: 'secret', redirect: false })
    if (id) await answer({ password: { id: 'password', type: 'credentials' } })
    expect((await into)?.ok).toBe(id === '')
    expect(asked).toEqual([])
  },
)

it.each([[], {}, 0, '', 'text', true, [ADA]])('an answer %j says nothing', async (data) => {
  const { page, answer } = tab()
  const client = openClient({ session: ADA }, page)
  const refused = expect(client.getSession()).rejects.toThrow(AuthError)
  await answer(data)
  await refused
  expect(client.get().data).toBe(ADA)
})
