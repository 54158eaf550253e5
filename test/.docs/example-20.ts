import { type AuthConfig, createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import github from '@latchkey/worker/providers/github'

export const config: AuthConfig = {
  basePath: '/auth',
  providers: [github()],
  features: [
    authorizationServer({
      apps: {
        notes: {
          name: 'Notes',
          redirectUris: ['https://notes.example.com/callback'],
          firstParty: true,
          resources: { 'https://api.example.com/': true },
        },
      },
      resources: {
        'https://api.example.com/': { scopes: { 'notes:read': 'Read your notes' } },
      },
    }),
  ],
}

export default createAuth(config)
