import type { WarningCode } from '@latchkey/host/shared'
import type { AuthRequest } from '../../http/request.js'
import { warnRarely } from '../../http/warn-rarely.js'

/** Writes one line of the log, unless there were ten of it within a minute in this process, whatever its configurations are. */
export function warn(request: AuthRequest, code: WarningCode, text: string): Promise<void> {
  const companies = request.features.settings<{ readonly counts: AuthRequest['counts'] }>(
    'companies',
  )
  return warnRarely(request, code, text, companies?.counts)
}
