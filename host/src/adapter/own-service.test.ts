import { expect, test } from 'vitest'
import { OwnService } from './own-service.js'

/** A service that answers with its name, or refuses its configuration. */
const service = (name: string, status = 200) => ({
  fetch: async () => new Response(name, { status }),
})
const URL = 'http://localhost/auth/revocations'
const heard = async (own: OwnService) => (await own.fetch(URL)).text()

test('the verifier asks the service of the configuration that was read last', async () => {
  const own = new OwnService()
  own.use(service('first'))
  expect(await heard(own)).toBe('first')
  own.use(service('second'))
  expect(await heard(own)).toBe('second')
})

test.each([
  ['is refused', service('bad', 500)],
  ['throws', { fetch: async () => Promise.reject(new Error('away')) }],
])(
  'attack: a tenant whose configuration %s keeps no other tenant from its feed',
  async (_, bad) => {
    const own = new OwnService()
    own.use(service('good'))
    await own.fetch(URL)
    own.use(bad)
    expect(await heard(own)).toBe('good')
    own.use(service('next'))
    expect(await heard(own)).toBe('next')
  },
)

test('the only one that is refused is reported as it is', async () => {
  const own = new OwnService()
  own.use(service('bad', 500))
  expect((await own.fetch(URL)).status).toBe(500)
})
