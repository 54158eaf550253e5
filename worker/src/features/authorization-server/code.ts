import { isRecord } from '@latchkey/session/internal'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { Code } from './authorization.js'

/** How long a code can be exchanged. Seconds. */
const LIFE = 60

/** How long an exchange is remembered, so that a code that comes again ends the grant. Seconds. */
const MEMORY = 15 * 60

/** Raised when the members change in a way that older versions would misread. */
const VERSION = 1

/** A code that this service has issued for this issuer. */
export interface OpenedCode {
  readonly code: Code
  /** `false`: it has expired and can begin no grant. */
  readonly isLive: boolean
}

/**
 * Makes an authorization code (RFC 6749, 4.1.2). It holds all that its exchange needs, encrypted and authenticated, so
 * that issuing one writes nothing, and a made-up one reaches no ledger. Whether it was exchanged, the grant says that it
 * begins: see `beginGrant`.
 *
 * @example const code = await sealCode(request, { handle: drawHandle(request, sub), sub, … })
 */
export async function sealCode(request: AuthRequest, code: Code): Promise<string> {
  const sealer = await request.keys.sealer('code')
  const now = nowInSeconds(request)
  const content = { v: VERSION, iss: request.issuer, ends: now + LIFE, code }
  return sealer.seal(content, now + LIFE + MEMORY)
}

/**
 * Reads a code, as long as its exchange is remembered.
 *
 * @returns `undefined` for any other text, a code of another issuer, and one that was sealed with a retired secret
 */
export async function openCode(
  request: AuthRequest,
  text: string,
): Promise<OpenedCode | undefined> {
  const sealer = await request.keys.sealer('code')
  const { v, iss, ends, code } = (await sealer.open(text)) ?? {}
  if (v !== VERSION || iss !== request.issuer || !isRecord(code)) return undefined
  return {
    code: code as unknown as Code,
    isLive: (ends as number) > nowInSeconds(request),
  }
}
