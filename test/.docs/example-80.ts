import { createAuth } from '@latchkey/worker'
import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import password from '@latchkey/worker/providers/password'

export default createAuth({
  basePath: '/auth',
  providers: [password(), email()],
  features: [passwords],
})
