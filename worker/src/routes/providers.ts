import type { AuthContext } from '../http/scope.js'

/** GET /providers: what one can sign in with. */
export function providers(c: AuthContext): Response {
  const { config, issuer } = c.env
  const entries = [...config.usable.values()].map(({ id, name, type }) => {
    const signinUrl = `${issuer}/signin/${id}`
    return [id, { id, name, type, signinUrl, callbackUrl: `${issuer}/callback/${id}` }]
  })
  return c.json(Object.fromEntries(entries))
}
