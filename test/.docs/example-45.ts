import type { AuthConfig } from '@latchkey/worker'

export const config: AuthConfig = {
  providers: [],
  cookies: { sessionToken: { options: { sameSite: 'none' } } },
}
