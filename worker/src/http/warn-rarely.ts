import type { WarningCode } from '@latchkey/host/shared'
import { type AuthRequest, nowInSeconds } from './request.js'

/** The lines of one warning in a minute: strangers cause them. */
const MAX_LINES = 10

/**
 * Writes one line of the log, unless this process wrote ten of it within the minute.
 *
 * @param counts default: those of the configuration
 * @example await warnRarely(request, 'assertion-refused', `${app}: ${fault}`)
 */
export async function warnRarely(
  request: AuthRequest,
  code: WarningCode,
  text: string,
  counts: AuthRequest['counts'] = request.counts,
): Promise<void> {
  const { wait } = await counts.admit(code, MAX_LINES, nowInSeconds(request))
  if (wait === 0) request.config.logger.warn(code, text)
}
