import type { AuthConfig } from '@latchkey/worker'
import email from '@latchkey/worker/providers/email'

export const providers: AuthConfig['providers'] = [
  email({ from: 'Example <sign-in@example.com>', maxAge: 5 * 60 }),
]
