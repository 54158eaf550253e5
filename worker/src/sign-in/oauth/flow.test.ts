import { discordAuth } from '@hono/oauth-providers/discord'
import { expect, it } from 'vitest'
import fromHono from '../../providers/from-hono.js'
import { memoryStore } from '../../stores/memory.js'
import { Browser, configWith, copyOf, errorOf, fakeProvider } from '../../test-support/browser.js'

it('plain OAuth is sent no nonce, which is for an ID token alone', async () => {
  const plain = new Browser(configWith({ providers: [fakeProvider()] }))
  expect((await plain.start('fake')).searchParams.has('nonce')).toBe(false)
})

it('a sign-in that began before its provider was configured in another way is over, and asks no provider', async () => {
  const store = memoryStore()
  const errors: Error[] = []
  const asked: string[] = []
  const before = fromHono({
    id: 'fake',
    name: 'Fake',
    clientId: 'the-client-id',
    clientSecret: 'the-client-secret',
    middleware: ({ clientId, clientSecret, redirectUri }) =>
      discordAuth({
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        scope: ['identify'],
      }),
  })
  const now = fakeProvider({ token: () => asked.push('token'), userinfo: () => asked.push('user') })
  const old = new Browser(configWith({ providers: [before], store }))
  const state = (await old.start('fake')).searchParams.get('state') ?? ''
  const logger = { error: (error: Error) => void errors.push(error) }
  const browser = copyOf(old, configWith({ providers: [now], store, logger }))
  const back = `/auth/callback/fake?${new URLSearchParams({ code: 'the-code', state })}`
  expect(errorOf(await browser.get(back))).toBe('/auth/signin InvalidCheck')
  expect(errors.map(({ message }) => message)).toEqual(['The sign-in was started in another way.'])
  expect(asked).toEqual([])
  expect(await browser.session()).toBeNull()
})
