import { exports } from 'cloudflare:workers'
import type { WhoseSessions } from '@latchkey/worker'
import { describe, expect, test } from 'vitest'
import { copyAt, keysOf, service, signedIn } from './support.ts'

/** The methods of the deployed Worker, called as over a service binding. */
const { AuthService } = exports as unknown as {
  AuthService: { endSessions(whose: WhoseSessions): Promise<void> }
}

describe('endSessions of the deployed Worker, over a service binding', () => {
  test('ends every session of the person at once, for the ledger and in KV', async () => {
    const { of, browser } = await signedIn()
    const { browser: second } = await signedIn(of)
    const { sub } = browser.claims
    expect(await keysOf(`session:${sub}:`)).toHaveLength(2)
    expect(await AuthService.endSessions({ sub })).toBeUndefined()
    for (const one of [browser, second]) {
      const answer = await copyAt(one).go('/auth/session?online=1')
      expect(await answer.json()).toBeNull()
    }
    await expect.poll(() => keysOf(`session:${sub}:`)).toEqual([])
    const { browser: third } = await signedIn(of)
    expect(await third.session()).not.toBeNull()
  })

  test('spares one, and may be called again', async () => {
    const { of, browser } = await signedIn()
    const { browser: second } = await signedIn(of)
    const { sub, sid } = second.claims
    for (let count = 0; count < 2; count++) await AuthService.endSessions({ sub, except: sid })
    const online = async (one: typeof browser) =>
      (await copyAt(one, service()).go('/auth/session?online=1')).json()
    expect(await online(browser)).toBeNull()
    expect(await online(second)).not.toBeNull()
  })
})
