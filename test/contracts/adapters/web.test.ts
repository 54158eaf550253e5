import { webAuth } from '@latchkey/web'
import { LOGIN, page, SAFE, VAULT } from './app.ts'
import { adapterContract } from './contract.ts'

adapterContract('web', {
  hasGuard: true,
  start(config) {
    const { handle } = webAuth(config)
    return (request) =>
      handle(request, async (auth) => {
        const { pathname } = new URL(request.url)
        if (pathname === '/members') await auth.requireSession(LOGIN)
        if (pathname === '/pay') await auth.requireSession({ maxAge: 60 })
        if (pathname === '/vault') await auth.requireSession(VAULT)
        if (pathname === '/safe') await auth.requireSession(SAFE)
        return page(request, auth)
      })
  },
})
