import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'
import type { Callbacks } from '../types.js'

const { pass } = clock({ waits: true })

const online = '/auth/session?online=1'

/** A signed-in browser, and the same cookies at an isolate that has just queried the ledger. */
async function read(changes: Parameters<typeof deployment>[0] = {}) {
  const set = deployment(changes)
  const browser = await set.signIn()
  const reader = set.copyAt(browser, set.isolate('elsewhere'))
  await reader.session()
  set.ledgers.calls.length = 0
  return { ...set, browser, reader }
}

describe('GET /session?online=1', () => {
  it('asks the ledger each time, and plain reads do not', async () => {
    const { reader, ledgers } = await read()
    for (let count = 0; count < 3; count++) {
      expect(await (await reader.get(online)).json()).not.toBeNull()
    }
    expect(ledgers.count('standing')).toBe(3)
    for (let count = 0; count < 3; count++) await reader.session()
    expect(ledgers.count('standing')).toBe(3)
  })

  it('sees a sign-out elsewhere at once, and removes the cookie', async () => {
    const { browser, reader } = await read()
    await browser.submit('/auth/signout')
    expect(await reader.session()).not.toBeNull()
    expect(await (await reader.get(online)).json()).toBeNull()
    expect(reader.jar.has('auth.session-token')).toBe(false)
  })

  it('sees the end of all of a person’s sessions at once', async () => {
    const { browser, reader, signIn } = await read()
    pass(1)
    const other = await signIn()
    await other.submit('/auth/sessions/revoke', { session: 'others' })
    expect(await (await reader.get(online)).json()).toBeNull()
    expect(await browser.session()).toBeNull()
  })

  it('renews a due token as any other read, and still asks the ledger', async () => {
    const { reader, ledgers } = await read()
    pass(360)
    ledgers.calls.length = 0
    expect(await (await reader.get(online)).json()).not.toBeNull()
    expect(ledgers.count('standing')).toBeGreaterThan(0)
  })

  it.each(['', '?online=0', '?online=true', '?online', '?ONLINE=1'])(
    '%j makes no call',
    async (query) => {
      const { reader, ledgers } = await read()
      await reader.get(`/auth/session${query}`)
      expect(ledgers.calls).toEqual([])
    },
  )
})

describe('a fault', () => {
  it.each([
    ['fresh', 60],
    ['due', 280],
    ['ended', 360],
  ])('a fault of the ledger: 503 and the cookie kept, for a %s token', async (_, after) => {
    const { reader, ledgers } = await read()
    pass(after)
    ledgers.before.set('standing', fails)
    const answer = await reader.get(online)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []])
    expect(await answer.text()).not.toContain('ada')
  })

  it('a fault of KV while the ledger answers: the ledger suffices while the token lasts', async () => {
    const { browser, reader, kv } = await read()
    pass(280)
    kv.before.set('get', fails)
    expect(await (await reader.get(online)).json()).not.toBeNull()
    await browser.submit('/auth/signout')
    expect(await (await reader.get(online)).json()).toBeNull()
  })

  it('a fault of the app’s own callback: as without `online`, but never for a session that is over', async () => {
    let isBroken = false
    const session: Callbacks['session'] = ({ session: shown }) => {
      if (isBroken) throw new Error('x')
      return shown
    }
    const { browser, reader } = await read({ callbacks: { session } })
    pass(280)
    isBroken = true
    expect(await (await reader.get(online)).json()).not.toBeNull()
    await browser.submit('/auth/signout')
    expect(await (await reader.get(online)).json()).toBeNull()
  })
})
