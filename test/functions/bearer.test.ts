import { mintSession } from '@latchkey/session/testing'
import { createAuth } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, expect, test, vi } from 'vitest'
import { examplesIn } from '../support/example-below.ts'

afterEach(() => vi.unstubAllGlobals())

const exampleBelow = examplesIn('verify-sessions')

const SECRET = 'a-secret-of-the-bearer-tests-0123456789'
const issuer = 'https://example.com/auth'

test('the example of docs/verify-sessions.md reads a token that is sent as a bearer token', async () => {
  const config = { secret: SECRET, basePath: '/auth', providers: [], store: memoryStore() }
  const auth = createAuth({ ...config, logger: { warn() {}, error() {} } })
  vi.stubGlobal('fetch', (input: string, init: RequestInit) =>
    auth.fetch(new Request(input, init), {}),
  )
  const { whoCalls } = await exampleBelow<{
    whoCalls(request: Request): Promise<unknown>
  }>('As a bearer token')
  const ask = (authorization?: string) =>
    whoCalls(
      new Request('https://api.example', { headers: authorization ? { authorization } : {} }),
    )
  const { token } = await mintSession({ secret: SECRET, issuer, user: { id: 'bo', name: 'Bo' } })
  expect(await ask(`Bearer ${token}`)).toMatchObject({ user: { id: 'bo', name: 'Bo' } })
  expect(await ask(`bearer ${token}`)).not.toBeNull()
  const other = await mintSession({ secret: SECRET.toUpperCase(), issuer, user: { id: 'bo' } })
  for (const wrong of [
    undefined,
    'Bearer',
    `Basic ${token}`,
    `Bearer ${other.token}`,
    'Bearer a; b',
  ]) {
    expect(await ask(wrong)).toBeNull()
  }
})
