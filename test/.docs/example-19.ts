import { MiddlewareAuth } from '@latchkey/express'
import github from '@latchkey/express/providers/github'
import { operate } from '@latchkey/worker/features/operate'

export const auth = MiddlewareAuth({ providers: [github()], features: [operate()] })
