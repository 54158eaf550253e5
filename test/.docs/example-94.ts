import { WorkerEntrypoint } from 'cloudflare:workers'
import { type AccessToken, createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import google from '@latchkey/worker/providers/google'

export { Ledger } from '@latchkey/worker/ledger'

const offline = { access_type: 'offline', prompt: 'consent' }

const auth = createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [google({ authorization: { params: offline } })],
})

export class AuthService extends WorkerEntrypoint<AuthBindings> {
  getAccessToken(request: Request): Promise<AccessToken> {
    return auth.getAccessToken(request, this.env, this.ctx)
  }
}

export default { fetch: auth.fetch }
