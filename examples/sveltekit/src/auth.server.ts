import { ComponentKitAuth } from '@latchkey/sveltekit'

/** Where the auth Worker is bound it answers `/auth/*`; without it this app does. */
export const { handle, signIn, signOut } = ComponentKitAuth(async ({ platform }) => {
  const worker = platform?.env?.AUTH
  if (worker) return { worker }
  const { config } = await import('./in-process.server.ts')
  return config
})
