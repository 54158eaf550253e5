import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import oidc from '@latchkey/worker/providers/oidc'

export { Ledger } from '@latchkey/worker/ledger'

/** A provider that posts its answers. `AUTH_FORM_ID` and the like hold its other settings. */
export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [oidc({ id: 'form', authorization: { params: { response_mode: 'form_post' } } })],
})
