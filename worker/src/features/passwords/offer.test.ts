import { createAuthenticator } from '@latchkey/session/testing'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import passkey from '../../providers/passkey.js'
import password from '../../providers/password.js'
import { type Browser, claimsIn, locationOf, origin } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { ADA, GOOD } from '../../test-support/with-passwords.js'
import { passwords } from './index.js'

const { pass } = clock({ waits: true })

type Mails = Parameters<typeof mailProvider>[0]

/** People with passkeys, mails and passwords. */
function world() {
  const mails: Mails = []
  const made = passkeyPeople({
    providers: [mailProvider(mails), passkey({ rpName: 'Example' }), password()],
    features: [passwords],
  })
  return {
    ...made,
    async signedUp() {
      const one = made.browser()
      await one.submit('/auth/signin/password', { email: ADA })
      const { pathname, search } = new URL(mails.at(-1)?.url ?? '')
      await one.get(pathname + search)
      await one.submit('/auth/password/set', { password: GOOD })
      return one
    },
    signInWith: (one: Browser, fields = {}) =>
      one.submit('/auth/callback/password', {
        email: ADA,
        password: GOOD,
        callbackUrl: '/inbox',
        ...fields,
      }),
  }
}

const OFFER = `${origin}/auth/passkey/offer?${new URLSearchParams({ callbackUrl: `${origin}/inbox` })}`

/** An authenticator that asks nobody, as browsers have it make a passkey silently. */
const silent = () => createAuthenticator({ origin, userVerified: false })

it('a right password ends at the offer if the browser asks for it, and else where it was to', async () => {
  const here = world()
  await here.signedUp()
  expect(locationOf(await here.signInWith(here.browser()))).toBe(`${origin}/inbox`)
  const ada = here.browser()
  expect(locationOf(await here.signInWith(ada, { offer: 'passkey' }))).toBe(OFFER)
  const page = await (await ada.get(new URL(OFFER).pathname + new URL(OFFER).search)).text()
  expect(page).toContain('data-script="add"')
  expect(page).toContain(`href="${origin}/inbox"`)
  await here.addPasskey(ada, here.authenticator())
  expect(locationOf(await here.signInWith(here.browser(), { offer: 'passkey' }))).toBe(
    `${origin}/inbox`,
  )
})

it('comes after the second factor', async () => {
  const here = world()
  const { app } = await setUpFactor(await here.signedUp())
  pass(30)
  const one = here.browser()
  expect(locationOf(await here.signInWith(one, { offer: 'passkey' }))).toBe(`${origin}/auth/factor`)
  expect(locationOf(await one.submit('/auth/factor', { code: app.code() }))).toBe(OFFER)
})

it('a passkey is made without a question in the minutes after a password, and signs in', async () => {
  const here = world()
  await here.signedUp()
  const ada = here.browser()
  await here.signInWith(ada)
  const asked = await here.options(ada, 'add', { mediation: 'conditional' })
  expect(asked.publicKey).toMatchObject({
    authenticatorSelection: { userVerification: 'preferred', residentKey: 'required' },
  })
  const made = await here.post(ada, await silent().create(asked.publicKey))
  expect([made.status, made.url]).toEqual([200, `${origin}/inbox`])
  expect((await here.ways(ada)).map(({ provider }) => provider)).toEqual(['email', 'passkey'])
})

it('attack: a session by mail, an old one, or a stranger asks for a passkey without a question', async () => {
  const here = world()
  const ada = await here.signedUp()
  const status = async (one: Browser, purpose = 'add') =>
    (await here.options(one, purpose, { mediation: 'conditional' })).status
  expect(await status(ada)).toBe(400)
  await here.signInWith(ada)
  expect(claimsIn(ada).amr[0]).toBe('password')
  pass(301)
  expect(await status(ada)).toBe(400)
  expect(await status(here.browser())).toBe(401)
  for (const purpose of ['sign-in', 'sign-up']) expect(await status(ada, purpose)).toBe(400)
})

it('attack: another ceremony ends without the person: only that flow may', async () => {
  const here = world()
  await here.signedUp()
  const ada = here.browser()
  await here.signInWith(ada)
  const asked = await here.options(ada, 'add')
  const made = await here.post(ada, await silent().create(asked.publicKey))
  expect(made).toMatchObject({ status: 401, error: 'CredentialsSignin' })
  expect((await here.ways(ada)).map(({ provider }) => provider)).toEqual(['email'])
})
