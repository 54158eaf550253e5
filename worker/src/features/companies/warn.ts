import type { WarningCode } from '@latchkey/host/shared'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'

/** The lines of one warning in a minute: strangers cause them. */
const MAX_LINES = 10

/** Writes one line of the log, unless there were ten of it within a minute. */
export async function warn(request: AuthRequest, code: WarningCode, text: string): Promise<void> {
  const { config, counts } = request
  const { wait } = await counts.admit(`warnings ${code}`, MAX_LINES, nowInSeconds(request))
  if (wait === 0) config.logger.warn(code, text)
}
