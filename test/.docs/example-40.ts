import type { AuthConfig } from '@latchkey/worker'
import postmark from '@latchkey/worker/providers/postmark'

export const providers: AuthConfig['providers'] = [
  postmark({ from: 'Example <sign-in@example.com>' }), // and AUTH_POSTMARK_KEY
]
