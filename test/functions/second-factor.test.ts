import type { AuthConfig, AuthHandler } from '@latchkey/worker'
import { describe, expect, test } from 'vitest'
import { examplesIn } from '../support/example-below.ts'

/** The example of docs/second-factor.md, run unchanged. */
const exampleBelow = examplesIn('second-factor')

interface Example {
  readonly config: AuthConfig
  readonly auth: AuthHandler<object>
  lostEverything(sub: string, env: object): Promise<void>
}

let loaded: Promise<Example> | undefined

function example(): Promise<Example> {
  loaded ??= exampleBelow<Example>('Require a second factor')
  return loaded
}

const env = {
  AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'secret',
}

describe('Require a second factor', () => {
  test.each([
    ['uS7TJNZj5Bz21xmY5ssYgQ', null, true],
    ['another', null, false],
    // An address says how a person signed in, and another way of theirs may have none.
    ['another', 'ada@staff.example', false],
  ])('for the person %j with the address %j: %j', async (sub, email, isDemanded) => {
    const { config } = await example()
    const user = { id: sub, email }
    expect(config.secondFactor?.({ sub, user, amr: ['github'] })).toBe(isDemanded)
  })

  test('the help desk’s function does nothing for an unknown person', async () => {
    const { auth, lostEverything } = await example()
    await lostEverything('nobody', env)
    expect(await auth.exportPerson('nobody', env)).toBeNull()
  })
})
