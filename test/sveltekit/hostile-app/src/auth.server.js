import { ComponentKitAuth } from '@latchkey/sveltekit'

/** In process, or from the Worker if AUTH_WORKER_URL names one. `x-tenant` names the tenant. */
export const { handle, signIn, signOut } = ComponentKitAuth(async ({ request }) => {
  if (process.env.AUTH_WORKER_URL) return {}
  const { config } = await import('./in-process.server.js')
  return config(request.headers.get('x-tenant') ?? 'one')
})
