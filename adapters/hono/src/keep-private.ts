import type { Host } from '@latchkey/host'
import type { Context } from 'hono'
import type { HonoHostRequest } from './hono-host.js'

const guarded = new WeakSet<Context>()

/** The ways to make an answer by a context. */
const MAKERS = ['newResponse', 'body', 'text', 'json', 'html', 'redirect'] as const

/**
 * Gives the answer to a request the cookies that were renewed for it, and keeps it from shared caches, whatever the app
 * says of it afterwards: each time when Hono or the app reads `c.res`, and when the app makes an answer by `c`.
 */
export function keepPrivate(host: Host, request: HonoHostRequest): void {
  const c = request.native
  if (guarded.has(c)) return
  guarded.add(c)
  const finish = (answer: Response) => host.finish(request, answer, false)
  // Hono hands out a handler's answer as it is, if no middleware is there.
  for (const name of MAKERS) {
    const make = c[name] as (...all: unknown[]) => Response | Promise<Response>
    const made = (...all: unknown[]) => {
      const answer = make(...all)
      return answer instanceof Promise ? answer.then(finish) : finish(answer)
    }
    Object.assign(c, { [name]: made })
  }
  const res = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(c), 'res')
  Object.defineProperty(c, 'res', {
    ...res,
    get() {
      const answer: Response = res?.get?.call(c)
      const finished = c.finalized ? finish(answer) : answer
      if (finished === answer) return answer
      // Otherwise Hono would overwrite this answer's headers with those of the previous one.
      res?.set?.call(c, undefined)
      res?.set?.call(c, finished)
      return finished
    },
  })
}
