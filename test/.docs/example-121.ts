import type { AuthConfig } from '@latchkey/worker'

export const session: AuthConfig['session'] = {
  maxAge: 60 * 60,
  absoluteMaxAge: 24 * 60 * 60,
}
