import type { Session } from '@latchkey/sveltekit'

declare global {
  namespace App {
    interface PageData {
      session?: Session | null
      /** The page was made when the app was built, so it has no session. */
      isPrerendered?: boolean
    }
    interface Platform {
      env?: {
        /** The auth Worker, as wrangler.toml binds it. */
        AUTH?: { fetch: typeof fetch }
      }
    }
  }
}
