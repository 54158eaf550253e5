import type { AuthRequest } from '../../../http/request.js'

/** For so long a code that has ended is still told apart from one that was made up. Seconds. */
const KNOWN = 24 * 60 * 60

/** What a device shows when it asks. A made-up one does not open, so it reaches no ledger. */
export interface DeviceCode {
  /** The `client_id`. */
  readonly app: string
  /** Where the ledger has what waits. */
  readonly home: string
  /** Seconds since the epoch. */
  readonly ends: number
}

export async function sealDeviceCode(request: AuthRequest, code: DeviceCode): Promise<string> {
  const sealer = await request.keys.sealer('device-code')
  return sealer.seal({ ...code, iss: request.issuer }, code.ends + KNOWN)
}

export async function openDeviceCode(
  request: AuthRequest,
  text: string,
): Promise<DeviceCode | undefined> {
  if (text.length > 2_048) return undefined
  const opened = await (await request.keys.sealer('device-code')).open(text)
  return opened?.iss === request.issuer ? (opened as unknown as DeviceCode) : undefined
}
