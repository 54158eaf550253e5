import { betterAuth } from 'better-auth'

interface Env {
  readonly AUTH_SECRET: string
  readonly DB: D1Database
}

let auth: ReturnType<typeof authFor> | undefined

/** better-auth with D1 and GitHub, as its documentation sets it up for Workers. */
function authFor(env: Env) {
  return betterAuth({
    baseURL: 'https://example.com',
    basePath: '/auth',
    secret: env.AUTH_SECRET,
    database: env.DB,
    socialProviders: { github: { clientId: 'id', clientSecret: 'secret' } },
  })
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    auth ??= authFor(env)
    return auth.handler(request)
  },
}
