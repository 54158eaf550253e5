import { InvalidCheck } from '../../errors.js'
import type { Kind, ResolvedProvider } from '../../http/kind.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { keepTarget } from '../../http/targets.js'
import { buttonForm } from '../../pages/provider-forms.js'
import { accountId } from '../../person/subject.js'
import type { Environment, MiddlewareConfig } from '../../types.js'
import { addParameters } from '../caller-parameters.js'
import { type StartedFlow, startFlow } from '../flow-cookie.js'
import { missing, optional, withEnvironment } from '../provider-client.js'
import { acceptResponse, comeBack, goToProvider, viaOf } from '../redirect-flow.js'
import { type Carried, finishMiddleware, startMiddleware } from './drive.js'

/** A provider that runs a `@hono/oauth-providers` middleware. */
export interface ResolvedMiddlewareProvider
  extends ResolvedProvider,
    Pick<MiddlewareConfig, 'profile' | 'account' | 'style' | 'middleware'> {
  readonly clientId: string
  readonly clientSecret: string
}

interface MiddlewareFlow extends StartedFlow {
  readonly carried: Carried
}

/** The providers of `fromHono` bring this kind, so that a Worker without one does not bundle it. */
export const honoMiddleware: Kind<ResolvedMiddlewareProvider> = {
  isGuessable: false,
  isAddable: true,
  resolve: (config, env) => resolve(config as MiddlewareConfig, env),
  form: buttonForm,
  async start(request, provider, _fields, purpose) {
    const via = viaOf(request, provider)
    const { url, ...carried } = await startMiddleware(provider, via.redirectUri)
    const flow = { provider: provider.id, ...keepTarget(request, purpose.target), carried }
    const started = await startFlow(request, flow, purpose)
    addParameters(url, request.query)
    url.searchParams.set('state', await via.state(started))
    return goToProvider(request, provider, url)
  },
  finish: { GET: finish, POST: finish },
  accountOf(_provider, account) {
    const id = accountId(account)
    return id === undefined ? undefined : { id }
  },
}

function resolve(config: MiddlewareConfig, env: Environment): ResolvedMiddlewareProvider {
  const provider = withEnvironment(config, env)
  const { id, name, type, middleware, profile, account, style } = provider
  const { clientId, clientSecret } = provider
  if (!clientId) throw missing(provider, 'client id', 'ID')
  if (!clientSecret) throw missing(provider, 'client secret', 'SECRET')
  const own = { ...optional({ profile, account, style }), id, name, type }
  return Object.freeze({ ...own, kind: honoMiddleware, clientId, clientSecret, middleware })
}

function finish(request: AuthRequest, provider: ResolvedMiddlewareProvider) {
  return comeBack<MiddlewareFlow>(
    request,
    provider,
    async (flow, response, redirectUri, inTime) => {
      const { carried } = flow
      if (!carried) throw new InvalidCheck('The sign-in was started in another way.')
      const server = { issuer: redirectUri }
      const now = nowInSeconds(request)
      return acceptResponse(request, provider, server, false, flow, response, (checked) =>
        finishMiddleware(provider, redirectUri, carried, checked, now, inTime),
      )
    },
  )
}
