import { describe, expect, it } from 'vitest'
import { locationOf, origin } from '../../test-support/browser.js'
import { type Credential, passkeyPeople } from '../../test-support/passkeys.js'

const target = { callbackUrl: '/deep?a=1', maxAge: '60', acr: '2' }
const kept = {
  callbackUrl: `${origin}/deep?a=1`,
  maxAge: '60',
  acr: '2',
}

const FAULTS: Readonly<Record<string, (good: Credential, other: Credential) => string>> = {
  'no credential': () => '',
  'a credential that is not JSON': () => 'x',
  'client data that name no challenge': (good) =>
    JSON.stringify({ ...good, response: { ...good.response, clientDataJSON: 'e30' } }),
  'a challenge of another browser': (_, other) => JSON.stringify(other),
  'a signature that is wrong': (good) =>
    JSON.stringify({ ...good, response: { ...good.response, signature: 'AAAA' } }),
  'no response': (good) => JSON.stringify({ ...good, response: undefined }),
}

/** A ceremony that a page began with a target, and ends by a form. */
async function failed(fault: string, sent: Record<string, string>) {
  const world = passkeyPeople()
  const key = world.authenticator()
  await world.signUp(key)
  const other = await world.credentialOf(world.browser(), 'sign-in', key)
  const one = world.browser()
  const good = await world.credentialOf(one, 'sign-in', key, target)
  const credential = FAULTS[fault]?.(good, other) ?? ''
  const answer = await one.submit('/auth/callback/passkey', { credential, ...sent })
  return new URL(locationOf(answer))
}

describe.each(Object.keys(FAULTS))('a passkey proof by a form that fails by %s', (fault) => {
  it.each([
    ['that names the target', target],
    ['that names none', {}],
  ])('leads to the sign-in page with where and how: a form %s', async (_, sent) => {
    const { pathname, searchParams } = await failed(fault, sent as Record<string, string>)
    expect(pathname).toBe('/auth/signin')
    expect(searchParams.get('error')).toMatch(/^(?:CredentialsSignin|InvalidCheck)$/)
    expect(Object.fromEntries(searchParams)).toMatchObject(kept)
  })
})
