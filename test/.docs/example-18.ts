import { createAuth } from '@latchkey/worker'
import { operate } from '@latchkey/worker/features/operate'
import github from '@latchkey/worker/providers/github'

export { Ledger } from '@latchkey/worker/features/operate'
export default createAuth({ providers: [github()], features: [operate()] })
