import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { authHandler } from '@latchkey/hono'
import credentials from '@latchkey/worker/providers/credentials'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { clickSignOut } from '../support/click-sign-out.ts'

const origin = 'http://localhost:3000'

/** A signed-in browser, at an app as the READMEs have it. */
async function signedIn() {
  const providers = [credentials({ authorize: () => ({ id: 'ada', name: 'Ada' }) })]
  const config = {
    providers,
    secret: 'a-secret-of-the-readmes-tests-0123456789',
    logger: { error() {} },
  }
  const app = new Hono().all('/auth/*', authHandler(config))
  const jar = new Map<string, string>()
  const go = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
    const answer = await app.request(origin + path, { ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return answer
  }
  const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
  await go('/auth/callback/credentials', {
    method: 'POST',
    body: new URLSearchParams({ csrfToken }),
  })
  const person = async () =>
    ((await (await go('/auth/session')).json()) as { user: { name: string } } | null)?.user.name
  expect(await person()).toBe('Ada')
  return { go, person }
}

const readmes = ['express', 'hono'].map((name) => [name, `adapters/${name}/README.md`] as const)

test.each(readmes)(
  '“Sign out” of the README of %s: its link and its script work',
  async (_, path) => {
    const section = readFileSync(join(rootDir, path), 'utf8').split('\n## Sign out\n')[1] ?? ''
    const [, link = ''] = /<a href="([^"]+)">Sign out<\/a>/.exec(section) ?? []
    const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(section) ?? []
    const { go, person } = await signedIn()
    const page = await go(link)
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('action="/auth/signout"'),
    ])
    expect(await person()).toBe('Ada')

    expect(await clickSignOut(script, go)).toBe(`${origin}/`)
    expect(await person()).toBeUndefined()
  },
)
