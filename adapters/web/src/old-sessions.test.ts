import { authjs } from '@latchkey/worker/migrate'
import { describe, expect, test } from 'vitest'
import { authjsCookies, OLD_SECRET } from '../../../test/support/old-cookies.js'
import { type RequestAuth, type WebAuthConfig, webAuth } from './index.js'
import { Browser, binding, inProcess, NAME, ofSession } from './test-app.js'

const migrateFrom = [authjs({ secret: OLD_SECRET, until: new Date(Date.now() + 86_400_000) })]

const modes: [string, () => WebAuthConfig][] = [
  ['in process', () => inProcess({ migrateFrom })],
  ['bound', () => ({ worker: binding({ migrateFrom }), logger: { error() {}, warn() {} } })],
]

describe.each(modes)('an old session, %s', (_, config) => {
  test('moves in where an answer can take its cookie, and is not used up elsewhere', async () => {
    const auth = webAuth(config())
    const kept: RequestAuth[] = []
    const browser = new Browser((request) =>
      auth.handle(request, async (own) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/copy') return Response.json(await auth.auth(new Request(request)))
        if (pathname === '/late') kept.push(own)
        // Asked for, and not awaited.
        if (pathname === '/streamed') void own()
        if (pathname === '/') return Response.json(await own())
        return new Response('page')
      }),
    )
    for (const [name, value] of await authjsCookies({ secure: false }))
      browser.cookies.set(name, value)
    expect(await (await browser.go('/copy')).json()).toBeNull()
    await browser.go('/late')
    expect(await kept[0]?.()).toBeNull()
    expect(ofSession(await browser.go('/streamed'))).toHaveLength(1)
    expect([...browser.cookies.keys()]).toEqual([NAME])
    expect(await (await browser.go('/')).json()).toMatchObject({ user: { name: 'Ada' } })
  })
})
