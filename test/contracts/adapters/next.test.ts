import NextAuth from '@latchkey/next'
import { Browser } from '@latchkey/next/test-app'
import { BASE, LOGIN, page, SAFE, VAULT } from './app.ts'
import { adapterContract } from './contract.ts'

adapterContract('Next', {
  hasGuard: true,
  start(config) {
    const { handlers, auth, requireSession } = NextAuth({ ...config, basePath: BASE })
    // Inside a wrapped handler it is the session of the request.
    const own = (request: Request) => page(request, () => auth())
    const routes = {
      '/plain': own,
      '/members': requireSession(own, LOGIN),
      '/pay': requireSession(own, { maxAge: 60 }),
      '/vault': requireSession(own, VAULT),
      '/safe': requireSession(own, SAFE),
    }
    return async (request) => {
      const { pathname, search, origin } = new URL(request.url)
      const { method, headers } = request
      const ofRoutes = method === 'POST' ? handlers.POST : handlers.GET
      const isRoute = pathname.startsWith(`${BASE}/`)
      const handler = isRoute ? ofRoutes : (routes[pathname as keyof typeof routes] ?? auth(own))
      const body = method === 'POST' ? await request.text() : null
      const init = { method, headers, body }
      return new Browser(BASE, origin).handle(pathname + search, handler as never, init)
    }
  },
})
