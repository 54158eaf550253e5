import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage } from '../../http/targets.js'
import { readSession } from '../../session/read.js'
import { findEmailFlow, showVerifyRequest } from './verify-request.js'

/** GET /verify-request: asks for the code, in the browser that asked for the mail. */
export async function verifyRequest(request: AuthRequest): Promise<Outcome> {
  const { query, providers } = request
  const provider = query.get('provider') ?? ''
  const flow = providers.usable.has(provider)
    ? await findEmailFlow(request, provider, query.get('flow') ?? '')
    : undefined
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  // A code that was sent twice works once: the answer to the first has ended the flow, and signed the person in.
  if (error !== undefined && query.has('flow') && !flow && (await readSession(request))) {
    return redirect(ownPage(request, `${request.issuer}/signin`))
  }
  return showVerifyRequest(request, flow, { error, code })
}
