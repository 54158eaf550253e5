import { createAuth, type VerificationRequest } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import credentials from '@latchkey/worker/providers/credentials'
import email from '@latchkey/worker/providers/email'
import passkey from '@latchkey/worker/providers/passkey'
import videoapp from '@latchkey/worker/providers/videoapp'

// The service with one provider for each kind of sign-in, driven from outside by the benchmark of a sign-in.

export { Ledger } from '@latchkey/worker/ledger'

interface Env extends AuthBindings {
  readonly AUTH_SECRET: string
}

let mail: VerificationRequest | undefined

const auth = createAuth<Env>({
  basePath: '/auth',
  // Silences the warning that requests for mails are not limited, which is intended here.
  logger: { warn: () => {} },
  providers: [
    videoapp(),
    email({
      from: 'bench@example.com',
      sendVerificationRequest(request) {
        mail = request
      },
    }),
    credentials({
      credentials: { username: {} },
      authorize: ({ username }) => ({ id: String(username), name: 'Ada Lovelace' }),
    }),
    passkey({ rpName: 'Bench' }),
  ],
})

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> | Response {
    if (request.url.endsWith('/last-mail')) return new Response(mail?.url)
    return auth.fetch(request, env, ctx)
  },
}
