import { auth, type Env } from './auth.js'

/** Refreshes the claims of the person in the query. */
export default {
  async fetch(request, env, ctx) {
    const sub = new URL(request.url).searchParams.get('sub') ?? ''
    await auth.refreshClaims({ sub }, env, ctx)
    return new Response('refreshed')
  },
} satisfies ExportedHandler<Env>
