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
  loaded ??= exampleBelow<Example>('Demand one')
  return loaded
}

const env = {
  AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
  AUTH_GITHUB_ID: 'id',
  AUTH_GITHUB_SECRET: 'secret',
}

describe('Demand one', () => {
  test.each([
    ['ada@staff.example', true],
    ['ada@example.com', false],
    [null, false],
  ])('of %j: %j', async (email, isDemanded) => {
    const { config } = await example()
    const user = { id: 'ada', email }
    expect(config.secondFactor?.({ sub: 'ada', user, amr: ['github'] })).toBe(isDemanded)
  })

  test('the help desk’s function does nothing to somebody of whom nothing is known', async () => {
    const { auth, lostEverything } = await example()
    await lostEverything('nobody', env)
    expect(await auth.exportPerson('nobody', env)).toBeNull()
  })
})
