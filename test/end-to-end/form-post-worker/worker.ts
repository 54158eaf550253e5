import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import oidc from '@latchkey/worker/providers/oidc'

export { Ledger } from '@latchkey/worker/ledger'

/** A provider that posts its answers. The rest of it is in `AUTH_FORM_ID` and its like. */
export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [oidc({ id: 'form', authorization: { params: { response_mode: 'form_post' } } })],
})
