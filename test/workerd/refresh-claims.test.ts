import { exports } from 'cloudflare:workers'
import type { WhoseClaims } from '@latchkey/worker/types'
import { describe, expect, test } from 'vitest'
import { countRows } from './counted-ledger.ts'
import { copyAt, service, signedIn } from './support.ts'

/** The methods of the deployed Worker, called as over a service binding. */
const { AuthService } = exports as unknown as {
  AuthService: { refreshClaims(whose: WhoseClaims): Promise<void> }
}

describe('refreshClaims of the deployed Worker, over a service binding', () => {
  test('has the next read renew the token, at once where the ledger decides, and ends nothing', async () => {
    const { browser } = await signedIn()
    const { sub, sid, iat } = browser.claims
    expect(await AuthService.refreshClaims({ sub })).toBeUndefined()
    expect(await (await browser.go('/auth/session?online=1')).json()).not.toBeNull()
    expect(browser.claims.sid).toBe(sid)
    expect(browser.claims.iat).toBeGreaterThan(Number(iat))
    const renewed = browser.claims.iat
    await browser.go('/auth/session?online=1')
    // The renewed one is not expired by it, within the same second either.
    expect(browser.claims.iat).toBe(renewed)
    await AuthService.refreshClaims({ sub, session: sid })
    await copyAt(browser, service()).session()
    await browser.go('/auth/session?online=1')
    expect(browser.claims.iat).toBeGreaterThan(Number(renewed))
  })

  test('costs one row with its two index entries, and a renewal after it none', async () => {
    const { browser } = await signedIn()
    const { sub } = browser.claims
    const rows = await countRows()
    try {
      await AuthService.refreshClaims({ sub })
      expect(rows.written).toBe(3)
      await browser.go('/auth/session?online=1')
      expect(rows.written).toBe(3)
    } finally {
      rows.restore()
    }
  })
})
