import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { customFetch } from '@latchkey/worker'
import { createAuth } from '@latchkey/worker/core'
import { ways } from '@latchkey/worker/features/ways'
import de from '@latchkey/worker/languages/de'
import videoapp from '@latchkey/worker/providers/videoapp'
import { expect, test } from 'vitest'
import { Browser, bindings, location, type TestEnv } from './support.ts'

/** A Worker that lists its parts: one feature, with its needs, and one language. */
function chosen(variables: Readonly<Record<string, string>> = {}) {
  const sandbox = createSandbox()
  const errors: Error[] = []
  const provider = videoapp({
    clientId: defaultClient.clientKey,
    clientSecret: defaultClient.clientSecret,
    [customFetch]: async (input: RequestInfo | URL, init?: RequestInit) =>
      sandbox.request(input as string, init),
  })
  const auth = createAuth<TestEnv>({
    basePath: '/auth',
    logger: { error: (error) => void errors.push(error) },
    providers: [provider],
    features: [ways],
    languages: [de],
  })
  return { auth, env: { ...bindings, ...variables } as TestEnv, sandbox, errors }
}

test('a Worker of the core signs people in, with the feature and the language that it lists', async () => {
  const of = chosen()
  const browser = new Browser(of)
  const page = await browser.go('/auth/signin', { headers: { 'accept-language': 'de' } })
  expect(await page.text()).toContain('<html lang="de"')
  expect(location(await browser.signIn()).pathname).toBe('/inbox')
  expect(await browser.session()).toMatchObject({ user: { name: expect.any(String) } })
  const listed = await (await browser.go('/auth/ways')).json<{ ways: { provider: string }[] }>()
  expect(listed.ways.map(({ provider }) => provider)).toEqual(['videoapp'])
  for (const path of ['/auth/account', '/auth/factor', '/auth/verify-request']) {
    expect((await browser.go(path)).status).toBe(404)
  }
  await browser.post('/auth/signout')
  expect(await browser.session()).toBeNull()
  expect(of.errors).toEqual([])
})

test('a Worker of the core with a variable of another feature serves nothing, and says what to import', async () => {
  const of = chosen({ AUTH_TURNSTILE_SITE_KEY: 'key' })
  expect((await new Browser(of).go('/auth/signin')).status).toBe(500)
  expect(of.errors.join()).toContain(
    "import { turnstile } from '@latchkey/worker/features/turnstile', and list it in features.",
  )
})
