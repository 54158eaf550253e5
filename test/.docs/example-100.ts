import type { AuthConfig } from '@latchkey/worker'
import oidc from '@latchkey/worker/providers/oidc'

export const providers: AuthConfig['providers'] = [
  oidc({ id: 'staff-sso', name: 'Staff' }),
  oidc({ id: 'partner-sso', name: 'Partners' }),
]
