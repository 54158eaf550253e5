import { ComponentKitAuth } from '@latchkey/sveltekit/forward'

/** On Cloudflare the auth Worker that is bound as `AUTH` answers `/auth/*`. */
export const { handle, signIn, signOut } = ComponentKitAuth(({ platform }) => {
  const worker = platform?.env?.AUTH
  if (!worker) throw new Error('No Worker is bound as AUTH. For Node build with TARGET=node.')
  return { worker }
})
