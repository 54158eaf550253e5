import { type AuthConfig, createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import oidc from '@latchkey/worker/providers/oidc'
import { importPKCS8 } from 'jose'

export { Ledger } from '@latchkey/worker/ledger'

interface Env extends AuthBindings {
  CLIENT_PRIVATE_KEY: string
}

const configs = new WeakMap<Env, AuthConfig>()

export default createAuth(async (env: Env) => {
  const known = configs.get(env)
  if (known) return known
  const key = await importPKCS8(env.CLIENT_PRIVATE_KEY, 'ES256')
  const provider = oidc({
    client: { token_endpoint_auth_method: 'private_key_jwt' },
    token: { clientPrivateKey: { key, kid: 'key-1' } },
  })
  const config: AuthConfig = { basePath: '/auth', providers: [provider] }
  configs.set(env, config)
  return config
})
