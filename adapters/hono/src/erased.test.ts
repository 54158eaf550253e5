import { memoryStore } from '@latchkey/worker/stores/memory'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { authHandler, getSession } from './index.js'
import { Browser, inProcess } from './test-app.js'

test.each(['as it is', 'that lists no session'])(
  'a deleted account is signed out in each browser at the next request: a store %s',
  async (kind) => {
    const { sessions, rows } = memoryStore()
    const list: typeof sessions.list = async (...given) =>
      kind === 'as it is' ? sessions.list(...given) : []
    const store = { sessions: { ...sessions, list }, rows }
    const config = inProcess({ basePath: '/auth', store, accountDeletion: true })
    const app = new Hono().all('/auth/*', authHandler(config))
    app.get('/me', async (c) => c.json(await getSession(c, config)))
    const [one, other] = [new Browser(app), new Browser(app)]
    await one.signIn()
    await other.signIn()
    expect(await (await other.go('/me')).json()).toMatchObject({ user: { name: 'ann' } })
    expect((await one.post('/account/delete')).status).toBe(302)
    expect(await (await other.go('/me')).json()).toBeNull()
  },
)
