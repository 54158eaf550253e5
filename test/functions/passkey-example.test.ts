import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAuth } from '@latchkey/worker'
import passkey from '@latchkey/worker/providers/passkey'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** The example of session/README.md with the software authenticator, run unchanged. */
const folder = join(rootDir, 'test', '.passkey-example')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type UsePasskey = (browser: Browser, purpose: string) => Promise<unknown>
type Browser = (path: string, body?: object) => Promise<unknown>

async function example(): Promise<UsePasskey> {
  const readme = readFileSync(join(rootDir, 'session/README.md'), 'utf8')
  const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code)
  const code = examples.find((text) => text.includes('createAuthenticator')) ?? ''
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'use-passkey.js')
  writeFileSync(file, code)
  return ((await import(/* @vite-ignore */ file)) as { usePasskey: UsePasskey }).usePasskey
}

const origin = 'http://localhost:3000'
const auth = createAuth({
  basePath: '/auth',
  store: memoryStore(),
  providers: [passkey({ rpName: 'Inbox' })],
})

/** A `fetch` that keeps cookies, and posts and answers JSON. */
function browser(): Browser {
  const jar = new Map<string, string>()
  return async (path, body) => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, origin, 'content-type': 'application/json' }
    const posted = body && { method: 'POST', body: JSON.stringify(body) }
    const env = {
      AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
      AUTH_URL: `${origin}/auth`,
    }
    const answer = await auth.request(`${origin}${path}`, { ...posted, headers }, env)
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    return answer.json()
  }
}

test('an app’s tests sign up and in with the authenticator of the README', async () => {
  const usePasskey = await example()
  const here = browser()
  expect(await usePasskey(here, 'sign-up')).toEqual({ url: `${origin}/inbox` })
  const session = await here('/auth/session')
  expect(session).toMatchObject({ user: { id: expect.any(String) } })
  const elsewhere = browser()
  expect(await elsewhere('/auth/session')).toBeNull()
  expect(await usePasskey(elsewhere, 'sign-in')).toEqual({ url: `${origin}/inbox` })
  const { user } = session as { user: object }
  expect(await elsewhere('/auth/session')).toMatchObject({ user })
})
