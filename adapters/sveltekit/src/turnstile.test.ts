import { expect, test } from 'vitest'
import { siteverify } from '../../../test/support/siteverify.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, ORIGIN, TestApp } from './test-app.js'

const turnstile = siteverify()
const right = { providerId: 'credentials', username: 'ada', password: 'lovelace' }

test('the form action passes Turnstile’s field on, and answers a page that asks why it was refused', async () => {
  const app = new TestApp(ComponentKitAuth(config))
  const platform = { env: turnstile.env }
  const submit = (fields: Record<string, string>) =>
    app.submit(app.auth.signIn, { ...right, ...fields }, {}, { platform })
  const refused = await submit({ redirectTo: '/inbox' })
  const to = new URL(refused.headers.get('location') ?? '')
  expect([refused.status, to.pathname, to.searchParams.get('code')]).toEqual([
    ...[303, '/auth/error', 'turnstile'],
  ])
  const told = { url: null, ok: false, status: 403, error: 'AccessDenied', code: 'turnstile' }
  expect(await (await submit({ redirect: 'false' })).json()).toEqual(told)
  expect(await app.who({ platform })).toBe(null)

  const response = turnstile.issue()
  const field = { 'cf-turnstile-response': response, redirectTo: '/inbox' }
  expect((await submit(field)).headers.get('location')).toBe(`${ORIGIN}/inbox`)
  expect(await app.who({ platform })).toBe('Ada')
  expect(turnstile.asked.map((form) => form.get('response'))).toEqual([response])
})
