import { env } from 'cloudflare:workers'
import type { AuthBindings } from '@latchkey/worker/ledger'
import { expect, test } from 'vitest'

const { LEDGER } = env as unknown as AuthBindings
const ledger = () => LEDGER.get(LEDGER.idFromName('test'))
const soon = () => Math.floor(Date.now() / 1000) + 900

test('of fifty parallel callers exactly one consumes a name', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ledger().consume('flow:a', soon())),
  )
  expect(answers.filter(Boolean)).toHaveLength(1)
})

test('a revoked session stays revoked, another does not become so', async () => {
  await ledger().revoke('one', soon())
  expect(await ledger().isRevoked('one')).toBe(true)
  expect(await ledger().isRevoked('two')).toBe(false)
})
