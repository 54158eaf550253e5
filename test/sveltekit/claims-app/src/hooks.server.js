import { ComponentKitAuth } from '@latchkey/sveltekit/forward'

/** The address of the service is in `AUTH_WORKER_URL`. */
export const { handle } = ComponentKitAuth({})
