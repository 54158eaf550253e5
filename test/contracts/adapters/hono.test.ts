import { authHandler, getSession, requireSession, session } from '@latchkey/hono'
import { Hono } from 'hono'
import { LOGIN, page, SAFE, VAULT } from './app.ts'
import { adapterContract } from './contract.ts'

adapterContract('Hono', {
  hasGuard: true,
  start(config) {
    const app = new Hono()
    app.all('/auth/*', authHandler(config))
    app.get('/plain', (c) => page(c.req.raw, () => getSession(c, config)))
    app.use(session(config))
    app.use('/members', requireSession(LOGIN, config))
    app.use('/pay', requireSession({ maxAge: 60 }, config))
    app.use('/vault', requireSession(VAULT, config))
    app.use('/safe', requireSession(SAFE, config))
    app.all('*', (c) => page(c.req.raw, () => getSession(c, config)))
    return async (request) => app.request(request)
  },
})
