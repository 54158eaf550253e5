import type Provider from 'oidc-provider'

/** A request as the provider saw it. */
export interface SeenRequest {
  /** The endpoint: `discovery`, `jwks`, `authorization`, `token`, `userinfo`, `revocation`, … */
  readonly route: string
  readonly status: number
  readonly client?: string
  /** How the client authenticated, read from the request itself. */
  readonly authentication?: string
  readonly grant?: string
  /** Why the provider refused: its internal message, which it does not send. */
  readonly problem?: string
}

/** Records the requests to a provider from now on, oldest first. */
export function recordRequests(provider: Provider): readonly SeenRequest[] {
  const seen: SeenRequest[] = []
  const problems = new WeakMap<object, string>()
  provider.on('grant.error', (ctx, error) => {
    problems.set(ctx.req, error.error_detail ?? error.message)
  })
  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx
    const { client_id, client_secret, client_assertion, grant_type } = oidc?.body ?? {}
    const authentication = /^basic /i.test(ctx.get('authorization'))
      ? 'client_secret_basic'
      : (client_secret && 'client_secret_post') || (client_assertion && 'private_key_jwt')
    const entry = {
      route: oidc?.route,
      status: ctx.status,
      client: oidc?.entities?.Client?.clientId ?? client_id,
      authentication,
      grant: grant_type,
      problem: problems.get(ctx.req),
    }
    seen.push(JSON.parse(JSON.stringify(entry)))
  })
  return seen
}
