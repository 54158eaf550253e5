import { expect, test } from 'vitest'
import { createAuth } from '../index.js'
import { PRESETS } from '../presets/preset-table.js'
import { memoryStore } from '../stores/memory.js'

async function toldOf(env: Record<string, string>): Promise<string[]> {
  const told: string[] = []
  const auth = createAuth({
    providers: PRESETS.slice(0, 24).map(([, preset]) => preset()),
    secret: 'a-secret-of-the-tests-without-ids-0123456789',
    store: memoryStore(),
    logger: { error: ({ message }) => void told.push(message), warn() {} },
  })
  for (const path of ['csrf', 'providers']) {
    await auth.request(`http://localhost/api/auth/${path}`, {}, env)
  }
  return told
}

test('24 presets without ids are one line of the log, which names their variables', async () => {
  const told = await toldOf({})
  expect(told).toHaveLength(1)
  for (const [prefix] of PRESETS.slice(0, 24)) expect(told[0]).toContain(`${prefix}_ID`)
})

test('one that has an id and nothing else keeps a line of its own', async () => {
  const prefix = 'AUTH_GITHUB'
  const told = await toldOf({ [`${prefix}_ID`]: 'the-client' })
  expect(told).toHaveLength(2)
  expect(told[0]).not.toContain(`${prefix}_ID`)
  expect(told[1]).toContain(`${prefix}_SECRET`)
})
