import { describe, expect, it } from 'vitest'
import { claimsIn, locationOf, origin } from '../../test-support/browser.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { people } from '../../test-support/people.js'

const BAD = 'ada@@mail.example'

describe('an invalid address of a person who adds one', () => {
  it.each(['/auth/account', '/auth/account/ways'])(
    'appears on %s, with a form to mend it: the sign-in page would sign them in as another person',
    async (path) => {
      const world = people()
      const one = await world.signIn('one', 'ada')
      const answer = await world.startAdding(one, 'email', { email: BAD, callbackUrl: path })
      const told = locationOf(answer)
      expect(told).toBe(`${origin}${path}?error=CredentialsSignin&code=invalid_address`)
      const page = await (await one.get(told.slice(origin.length))).text()
      expect(page.match(/id="problem"/g)).toHaveLength(1)
      expect(page).toContain('This is not a valid email address')
      expect(page).toMatch(
        /action="\/auth\/ways\/add"[^>]*>(?:(?!<\/form>)[\s\S])*value="ada@@mail\.example"/,
      )
      expect(page).toContain('aria-describedby="problem"')
      const later = await (await one.get(path)).text()
      expect(later).not.toContain(BAD)
      expect(later).not.toContain('That is not')
    },
  )

  it('appears once on a page whose script may show one of a passkey too', async () => {
    const world = passkeyPeople()
    const one = await world.signIn('one', 'ada')
    await world.startAdding(one, 'email', { email: BAD, callbackUrl: '/auth/account' })
    const page = await (
      await one.get('/auth/account?error=CredentialsSignin&code=invalid_address')
    ).text()
    expect(page.match(/id="problem"/g)).toHaveLength(1)
    expect(page).toMatch(/id="problem"[^>]*data-says=/)
  })

  it('leads to the sign-in page if the form was the app’s own, and keeps the session', async () => {
    const world = people()
    const one = await world.signIn('one', 'ada')
    const { sid } = claimsIn(one)
    const told = locationOf(await world.startAdding(one, 'email', { email: BAD }))
    expect(told).toContain(`${origin}/auth/signin?`)
    expect(claimsIn(one).sid).toBe(sid)
  })
})

describe('too many tries to add a way, or to have a mail sent for it', () => {
  it.each([
    ['of ways', 'two', {}],
    ['of mails', 'email', { email: 'ada@people.example' }],
  ])(
    '%s lead to the account’s page, which says so, and its person stays signed in',
    async (_, provider, fields) => {
      const world = people()
      const one = await world.signIn('one', 'ada')
      let answer = new Response()
      for (let tries = 0; tries <= 200 && !answer.headers.has('retry-after'); tries++) {
        answer = await world.startAdding(one, provider, { ...fields, callbackUrl: '/auth/account' })
      }
      const told = locationOf(answer)
      expect(told).toBe(`${origin}/auth/account?error=CredentialsSignin&code=rate_limited`)
      const page = await (await one.get(told.slice(origin.length))).text()
      expect(page.match(/id="problem"/g)).toHaveLength(1)
      expect(page).toContain('Too many')
    },
  )

  it('answer a script with 429, and a form of the app', async () => {
    const world = people()
    const one = await world.signIn('one', 'ada')
    const statuses = async (headers = {}) =>
      (await world.startAdding(one, 'two', {}, headers)).status
    const all = []
    for (let tries = 0; tries <= 200; tries++) all.push(await statuses())
    expect(all.at(-1)).toBe(429)
    expect(await statuses({ 'x-auth-return-redirect': '1' })).toBe(429)
  })
})
