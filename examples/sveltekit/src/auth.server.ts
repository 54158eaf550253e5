import { ComponentKitAuth } from '@latchkey/sveltekit'

/** The auth Worker answers `/auth/*` where it is bound; otherwise this app does. */
export const { handle, signIn, signOut } = ComponentKitAuth(async ({ platform }) => {
  const worker = platform?.env?.AUTH
  if (worker) return { worker }
  const { config } = await import('./in-process.server.ts')
  return config
})
