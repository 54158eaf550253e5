import { requireToken } from '@latchkey/sveltekit'
import { resource } from '../../../client.server.js'

export const GET = requireToken({ audience: resource, scope: 'notes:read' }, ({ locals }) =>
  Response.json({ user: locals.token.sub, app: locals.token.clientId }),
)
