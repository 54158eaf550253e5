import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import videoapp from '@latchkey/worker/providers/videoapp'

export { Ledger } from '@latchkey/worker/ledger'

/** Tokens that end while a test waits. */
export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [videoapp()],
  session: { tokenMaxAge: 3 },
})
