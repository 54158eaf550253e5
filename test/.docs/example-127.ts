import { webAuth } from '@latchkey/web'
import github from '@latchkey/web/providers/github'

export { Ledger } from '@latchkey/worker/ledger'

const { handle } = webAuth({ providers: [github()] })

export default {
  fetch: (request: Request, env: object, ctx: ExecutionContext) =>
    handle(
      request,
      async (auth) => {
        const { user } = await auth.requireSession({ redirectTo: '/auth/signin' })
        return Response.json(user)
      },
      { env, ctx },
    ),
}
