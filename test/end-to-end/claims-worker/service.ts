import { auth, type Env, roles } from './auth.js'

export { Ledger } from '@latchkey/worker/ledger'

/** The service, with the table of roles. Its operator is another Worker, and so another isolate. */
export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    const sub = searchParams.get('sub')
    if (pathname !== '/role' || sub === null) return auth.fetch(request, env, ctx)
    roles.set(sub, 'editor')
    return env.OPERATOR.fetch(request)
  },
} satisfies ExportedHandler<Env>
