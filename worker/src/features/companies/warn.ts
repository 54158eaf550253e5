import type { WarningCode } from '@latchkey/host/shared'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'

/** The lines of one warning in a minute: strangers cause them. */
const MAX_LINES = 10

/** Writes one line of the log, unless there were ten of it within a minute. */
export async function warn(request: AuthRequest, code: WarningCode, text: string): Promise<void> {
  const { config, features } = request
  const companies = features.settings<{ readonly counts: AuthRequest['counts'] }>('companies')
  const now = nowInSeconds(request)
  const { wait = 0 } = (await companies?.counts.admit(code, MAX_LINES, now)) ?? {}
  if (wait === 0) config.logger.warn(code, text)
}
