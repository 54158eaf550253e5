import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { attemptAt, providerOf } from './sign-in.js'

/** GET or POST /callback/:provider: finishes a sign-in, in the ways that its kind has. */
export async function callback(request: AuthRequest, id: string): Promise<Outcome> {
  request.attempt = attemptAt(request, id)
  const provider = providerOf(request, id)
  const { finish } = provider.kind
  if (request.method === 'POST' && finish.POST) return finish.POST(request, provider)
  if (request.method === 'GET' && finish.GET) return finish.GET(request, provider)
  // HEAD changes nothing, so it does not finish a sign-in.
  if (request.method === 'HEAD' && finish.GET) return { kind: 'empty' }
  return { kind: 'not-allowed', allow: finish.GET ? 'GET, HEAD' : 'POST' }
}
