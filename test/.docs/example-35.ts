import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import github from '@latchkey/worker/providers/github'

export { Ledger } from '@latchkey/worker/ledger'

export default createAuth<AuthBindings>({
  basePath: '/auth',
  providers: [github({ connection: { scopes: ['gist'] } })],
  events: {
    async signInNeeded({ sub, provider }) {
      await remind(sub, `Your gists wait: please connect ${provider} again.`)
    },
  },
})

declare function remind(sub: string, words: string): Promise<void>
