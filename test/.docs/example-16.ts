import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import github from '@latchkey/worker/providers/github'

export { Ledger } from '@latchkey/worker/ledger'

export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [github()],
  features: [
    authorizationServer({
      resources: {
        'https://api.example.com/': { name: 'Notes API', scopes: { 'notes:read': 'Read your notes' } },
      },
      keys: { prefix: 'acme' },
    }),
  ],
})
