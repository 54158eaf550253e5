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
    async signedUp(email = ADA, one = made.browser()) {
      await one.submit('/auth/signin/password', { email })
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

it('attack: the offer is answered from another page, by another session, or twice', async () => {
  const here = world()
  await here.signedUp()
  const ada = here.browser()
  await here.signInWith(ada)
  const asked = await here.options(ada, 'add', { mediation: 'conditional' })
  const evil = createAuthenticator({ origin: 'https://evil.example', userVerified: false })
  const list = async () => (await here.ways(ada)).map(({ provider }) => provider)
  // Made by a page of another site.
  expect((await here.post(ada, await evil.create(asked.publicKey))).status).toBe(401)
  expect(await list()).toEqual(['email'])

  const again = await here.options(ada, 'add', { mediation: 'conditional' })
  const made = await silent().create(again.publicKey)
  // Without the token of this browser, as a form of another site would be.
  const forged = await here.post(ada, made, { csrfToken: 'x' }, { origin: 'https://evil.example' })
  expect([forged.status === 200, await list()]).toEqual([false, ['email']])
  // In a browser of another person, who has the answer but not the flow.
  const mallory = await here.signedUp('mallory@mail.example')
  expect((await here.post(mallory, made)).status).not.toBe(200)
  expect((await here.ways(mallory)).map(({ provider }) => provider)).toEqual(['email'])

  const last = await here.options(ada, 'add', { mediation: 'conditional' })
  const good = await silent().create(last.publicKey)
  const copy = here.copyOf(ada)
  expect((await here.post(ada, good)).status).toBe(200)
  expect((await here.post(copy, good)).status).not.toBe(200)
  expect(await list()).toEqual(['email', 'passkey'])
})

it('attack: the flow of a silent passkey is finished after the session has ended, or as another person', async () => {
  const here = world()
  await here.signedUp()
  const ada = here.browser()
  await here.signInWith(ada)
  const asked = await here.options(ada, 'add', { mediation: 'conditional' })
  const made = await silent().create(asked.publicKey)
  const thief = here.copyOf(ada)
  await ada.submit('/auth/signout')
  expect((await here.post(thief, made)).status).not.toBe(200)
  const other = await here.signedUp('mallory@mail.example', here.copyOf(thief))
  expect((await here.post(other, made)).status).not.toBe(200)
  expect((await here.ways(other)).map(({ provider }) => provider)).toEqual(['email'])
})

it('attack: the offer leads to another site, or is asked for with no session', async () => {
  const here = world()
  await here.signedUp()
  const ada = here.browser()
  await here.signInWith(ada)
  const page = await ada.get('/auth/passkey/offer?callbackUrl=https://evil.example/')
  expect(await page.text()).not.toContain('evil.example')
  const answer = await here.signInWith(here.browser(), {
    offer: 'passkey',
    callbackUrl: 'https://evil.example/',
  })
  expect(decodeURIComponent(answer.headers.get('location') ?? '')).not.toContain('evil.example')
  const stranger = await here.browser().get('/auth/passkey/offer?callbackUrl=/inbox')
  expect(new URL(locationOf(stranger)).pathname).toBe('/auth/signin')
})
