import { isRecord } from '@latchkey/session/internal'

/** The browser's report about a ceremony (WebAuthn Level 3, section 5.8.1). */
export interface ClientData {
  readonly type: string
  /** Base64url of the challenge. */
  readonly challenge: string
  readonly origin: string
  readonly crossOrigin?: unknown
  readonly topOrigin?: unknown
}

/** The values that a ceremony must have. */
export interface Expected {
  /** Base64url of the bytes that the options had. */
  readonly challenge: string
  readonly origins: readonly string[]
  readonly rpId: string
  /** A registration for which the browser has asked nobody: it may come without UP and UV (section 7.1, steps 15 and 16). */
  readonly isConditional?: boolean | undefined
}

export type ClientDataFault = 'type' | 'challenge' | 'origin' | 'cross-origin' | 'top-origin'

/** @returns `undefined` for text that is not JSON with the required members */
export function readClientData(bytes: Uint8Array): ClientData | undefined {
  try {
    // "UTF-8 decode": a byte order mark goes, and bytes that are not UTF-8 are replaced (7.1, step
    // 5).
    const data: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (!isRecord(data)) return undefined
    const { type, challenge, origin, crossOrigin, topOrigin } = data
    if (typeof type !== 'string' || typeof challenge !== 'string') return undefined
    // Other members are ignored: browsers will have new ones.
    return typeof origin === 'string'
      ? { type, challenge, origin, crossOrigin, topOrigin }
      : undefined
  } catch {
    return undefined
  }
}

/** The steps 7 to 11 of section 7.1, and 10 to 14 of section 7.2. */
export function faultOfClientData(
  { type, challenge, origin, crossOrigin, topOrigin }: ClientData,
  ceremony: 'create' | 'get',
  expected: Expected,
): ClientDataFault | undefined {
  if (type !== `webauthn.${ceremony}`) return 'type'
  if (challenge !== expected.challenge) return 'challenge'
  if (!expected.origins.includes(origin)) return 'origin'
  // Sign-ins within a frame of another site are refused.
  if (crossOrigin !== undefined && crossOrigin !== false) return 'cross-origin'
  return topOrigin === undefined ? undefined : 'top-origin'
}
