import { createAuth } from '@latchkey/worker'
import { authorizationServer } from '@latchkey/worker/features/authorization-server'
import github from '@latchkey/worker/providers/github'

export default createAuth({
  basePath: '/auth',
  providers: [github()],
  features: [
    authorizationServer({
      resources: {
        'https://notes.example.com/mcp': {
          name: 'Notes',
          scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' },
          open: true,
        },
      },
    }),
  ],
})
