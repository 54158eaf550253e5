import { expect, it } from 'vitest'
import { createAuth } from '../../../core.js'
import { memoryStore } from '../../../stores/memory.js'
import { Browser, configWith, origin } from '../../../test-support/browser.js'
import { resource } from '../../../test-support/oauth.js'
import { accountsAt } from '../../../test-support/people.js'
import { authorizationServer } from '../index.js'

const features = [
  authorizationServer({
    resources: { [resource]: { scopes: { 'notes:read': 'Read your notes' } } },
    keys: { prefix: 'acme' },
  }),
]

/** A service at this path, with the secret and the store of the others. */
function serviceAt(basePath: string, store = memoryStore()) {
  const config = configWith({ basePath, store, providers: [accountsAt('one')], features })
  const auth = createAuth(config)
  return {
    store,
    config,
    auth,
    async exchange(key: string) {
      const body = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: key,
        subject_token_type: 'urn:latchkey:params:oauth:token-type:api-key',
      })
      const request = new Request(`${origin}${basePath}/oauth/token`, { method: 'POST', body })
      return ((await (await auth.fetch(request)).json()) as { error?: string }).error
    },
  }
}

it('attack: a key counts at no other issuer with the same secret and ledger', async () => {
  const here = serviceAt('/auth')
  const there = serviceAt('/elsewhere', here.store)
  const ada = new Browser(here.config, { answer: (request) => here.auth.fetch(request) })
  await ada.signIn('one', 'ada')
  const fields = { name: 'CI', scope: 'notes:read' }
  const made = await ada.submit('/auth/keys/create', fields, { 'x-auth-return-redirect': '1' })
  const { key } = (await made.json()) as { key: string }
  expect(await there.exchange(key)).toBe('invalid_grant')
  expect(await here.exchange(key)).toBeUndefined()
})

it('a key without an issuer, as earlier versions and operators make it, counts at each', async () => {
  const here = serviceAt('/auth')
  const there = serviceAt('/elsewhere', here.store)
  const { key } = await here.auth.createKey('ada', { name: 'CI', scopes: ['notes:read'] })
  expect([await here.exchange(key), await there.exchange(key)]).toEqual([undefined, undefined])
})
