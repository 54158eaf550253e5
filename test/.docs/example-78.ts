import type { AuthConfig } from '@latchkey/worker'
import passkey from '@latchkey/worker/providers/passkey'

export const providers: AuthConfig['providers'] = [
  passkey({ rpName: 'Example', rpId: 'example.com', origins: ['https://example.de'] }),
]
