import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { sqliteStore } from '../../stores/sqlite.js'
import { setsSession } from '../../test-support/browser.js'
import { ADA, GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'

clock({ waits: true })

it('a file keeps a password: set, signed in with, and changed', async () => {
  const path = join(import.meta.dirname, `passwords-${process.pid}.db`)
  try {
    const world = withPasswords({}, { store: sqliteStore(path) })
    const ada = await world.signedUp()
    expect(setsSession(await world.signInBy(world.browser(), ADA, GOOD))).toBe(true)
    await world.set(ada, OTHER, { current: GOOD })
    const again = withPasswords({}, { store: sqliteStore(path) })
    expect(setsSession(await again.signInBy(again.browser(), ADA, GOOD))).toBe(false)
    expect(setsSession(await again.signInBy(again.browser(), ADA, OTHER))).toBe(true)
  } finally {
    for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
  }
})
