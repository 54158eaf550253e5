import { env } from 'cloudflare:workers'
import { webAuth } from '@latchkey/web/forward'

const { AUTH } = env as unknown as { AUTH: { fetch: typeof fetch } }

export const { handle } = webAuth({ worker: AUTH })
