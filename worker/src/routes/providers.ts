import { json, type Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'

/** GET /providers: the providers that a person can sign in with. */
export function providers(request: AuthRequest): Outcome {
  const { issuer } = request
  const entries = [...request.providers.usable.values()].map(({ id, name, type }) => {
    const signinUrl = `${issuer}/signin/${id}`
    return [id, { id, name, type, signinUrl, callbackUrl: `${issuer}/callback/${id}` }]
  })
  return json(Object.fromEntries(entries))
}
