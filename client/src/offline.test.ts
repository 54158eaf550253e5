import { AuthError } from '@latchkey/session'
import { expect, it, vi } from 'vitest'
import { openPage } from './test-support/page.js'

// A browser without a network, or after a new deploy, cannot load the file.
vi.mock('./passkey.js', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

it('signIn with a passkey rejects with AuthError if its code cannot be loaded', async () => {
  const into = openPage().newClient().signIn('passkey', { redirect: false })
  await expect(into).rejects.toThrow(AuthError)
})
