import { createAuth } from '@latchkey/worker/core'
import { account } from '@latchkey/worker/features/account'
import { email as mails } from '@latchkey/worker/features/email'
import de from '@latchkey/worker/languages/de'
import email from '@latchkey/worker/providers/email'
import github from '@latchkey/worker/providers/github'

export { Ledger } from '@latchkey/worker/ledger'

export default createAuth({
  basePath: '/auth',
  providers: [github(), email()],
  features: [account, mails],
  languages: [de],
})
