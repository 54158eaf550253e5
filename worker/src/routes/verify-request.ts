import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { findEmailFlow, showVerifyRequest } from '../sign-in/email/verify-request.js'

/** GET /verify-request: asks for the code, in the browser that asked for the mail. */
export async function verifyRequest(request: AuthRequest): Promise<Outcome> {
  const { query, providers } = request
  const provider = query.get('provider') ?? ''
  const flow = providers.usable.has(provider)
    ? await findEmailFlow(request, provider, query.get('flow') ?? '')
    : undefined
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return showVerifyRequest(request, flow, { error, code })
}
