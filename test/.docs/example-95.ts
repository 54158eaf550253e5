import type { AuthConfig } from '@latchkey/worker'
import google from '@latchkey/worker/providers/google'
import microsoftEntraId from '@latchkey/worker/providers/microsoft-entra-id'

export const providers: AuthConfig['providers'] = [
  google(),
  microsoftEntraId({ scope: 'openid profile email offline_access' }),
]
