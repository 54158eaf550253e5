import { expect, it } from 'vitest'
import { AuthenticatorApp, keyOn } from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { locationOf, origin } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { people } from '../../test-support/people.js'

clock()

it('a store that fails while a factor is set up for a sign-in leads to the sign-in page with where and how', async () => {
  const { browser, comeBack, faults } = people({ secondFactor: () => true })
  const one = browser()
  const start = await one.submit('/auth/signin/one', { callbackUrl: '/deep?a=1', maxAge: '60' })
  const waits = await comeBack(one, 'one', start, 'ada')
  expect(locationOf(waits)).toBe(`${origin}/auth/factor/setup`)
  const app = new AuthenticatorApp(keyOn(await (await one.get('/auth/factor/setup')).text()))
  faults.set('document', fails)
  const page = { accept: 'text/html' }
  const answer = await one.submit('/auth/factor/setup', { code: app.code() }, page)
  expect(answer.status).toBe(503)
  const again = /href="(\/auth\/signin\?[^"]*)"/.exec(await answer.text())?.[1] ?? ''
  const { searchParams } = new URL(again.replaceAll('&amp;', '&'), origin)
  expect(Object.fromEntries(searchParams)).toEqual({
    callbackUrl: `${origin}/deep?a=1`,
    maxAge: '60',
  })
})
