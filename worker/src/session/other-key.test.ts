import { OTHER_KEY } from '@latchkey/host/shared'
import { expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { signedIn } from '../test-support/signed-in.js'

clock()

const COOKIE = 'auth.session-token'

/** A browser's token, and a service that logs details. */
async function withDetails() {
  const details: string[] = []
  const logger = { debug: (message: string) => void details.push(message) }
  const { browser, under } = await signedIn({ debug: true, logger })
  return { browser, under, told: () => details.splice(0).filter((one) => one === OTHER_KEY) }
}

it('a token that another key has signed is one detail in the log of each request, which says what to look at', async () => {
  const { under, told } = await withDetails()
  const other = under({ secret: 'another-secret-of-the-tests-0123456789' })
  told()
  for (const _ of [1, 2]) {
    expect(await other.session()).toBeNull()
    expect(told()).toEqual([OTHER_KEY])
  }
  await other.get('/auth/signin')
  expect(told()).toEqual([OTHER_KEY])
  expect(OTHER_KEY).toContain('Is AUTH_SECRET that of the service?')
})

it('a token with a wrong signature is too, however many there are', async () => {
  const { browser, told } = await withDetails()
  const token = browser.jar.get(COOKIE) ?? ''
  const flipped = token.slice(0, -9) + (token.at(-9) === 'A' ? 'B' : 'A') + token.slice(-8)
  const cookie = [
    flipped,
    token.slice(0, -1).concat('!'),
    flipped.replace(/.{12}$/, 'A'.repeat(12)),
  ]
    .map((one) => `${COOKIE}=${one}`)
    .join('; ')
  told()
  await browser.get('/auth/session', { cookie })
  expect(told()).toEqual([OTHER_KEY])
})

it('a token of no key, or one that is over, is not a detail of that kind', async () => {
  const { browser, told } = await withDetails()
  told()
  const token = browser.jar.get(COOKIE) ?? ''
  for (const text of ['x', 'a.b.c', `${token}.x`, token]) {
    await browser.get('/auth/session', { cookie: `${COOKIE}=${text}` })
  }
  expect(told()).toEqual([])
})
