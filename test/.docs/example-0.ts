import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import github from '@latchkey/worker/providers/github'
import google from '@latchkey/worker/providers/google'

export { Ledger } from '@latchkey/worker/ledger'

export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [github(), google()],
})
