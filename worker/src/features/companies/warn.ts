import type { WarningCode } from '@latchkey/host/shared'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { companiesOf } from './settings.js'

/** The lines of one warning in a minute: strangers cause them. */
const MAX_LINES = 10

/** Writes one line of the log, unless there were ten of it within a minute. */
export async function warn(request: AuthRequest, code: WarningCode, text: string): Promise<void> {
  const { config } = request
  const { wait } = await companiesOf(request).counts.admit(code, MAX_LINES, nowInSeconds(request))
  if (wait === 0) config.logger.warn(code, text)
}
