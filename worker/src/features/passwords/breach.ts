import type { AuthRequest } from '../../http/request.js'
import { isBreachedPassword } from '../../passwords/breached.js'
import { passwordSettings } from './settings.js'

/** Does Have I Been Pwned know a new password? If it does not answer, the log says so. */
export async function isBreached(request: AuthRequest, password: string): Promise<boolean> {
  const { isBreachChecked, fetch } = passwordSettings(request)
  if (!isBreachChecked) return false
  return isBreachedPassword(password, {
    ...(fetch ? { fetch } : {}),
    warn: (message) => request.config.logger.warn('breach-check-skipped', message),
  })
}
