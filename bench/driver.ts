// Runs inside workerd in front of a contestant: calls it many times without leaving its isolate,
// and counts what that uses.

/** A request to the driver. */
export interface Drive {
  readonly url: string
  readonly cookie: string
  readonly repeat: number
  /** Count and answer with an {@link Inspection}, instead of only calling. */
  readonly inspect: boolean
}

/** The resources that a series of reads used. */
export interface Inspection {
  readonly kv: number
  readonly ledger: number
  readonly setCookies: number
  /** The status of the last answer. */
  readonly body: string
}

type Env = Readonly<Record<string, object | undefined>>
interface Worker {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>
}

export function drive(worker: Worker): Worker {
  return {
    async fetch(request, env, ctx) {
      const { url, cookie, repeat, inspect } = (await request.json()) as Drive
      const next = () => new Request(url, { headers: { cookie } })
      if (inspect) return inspected(worker, next, repeat, env, ctx)
      for (let call = 0; call < repeat; call++) await worker.fetch(next(), env, ctx)
      return new Response()
    },
  }
}

async function inspected(
  worker: Worker,
  next: () => Request,
  repeat: number,
  env: Env,
  ctx: ExecutionContext,
): Promise<Response> {
  const used = { kv: 0, ledger: 0, setCookies: 0 }
  const counted = {
    ...env,
    SESSIONS: counting(env.SESSIONS, () => used.kv++),
    LEDGER: counting(env.LEDGER, () => used.ledger++),
  }
  let body = ''
  for (let call = 0; call < repeat; call++) {
    const response = await worker.fetch(next(), counted, ctx)
    used.setCookies += response.headers.getSetCookie().length
    body = await response.text()
  }
  const inspection: Inspection = { ...used, body }
  return Response.json(inspection)
}

/** The same binding, with a count of its calls. */
function counting(binding: object = {}, count: () => void): object {
  return new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        count()
        return member.apply(target, args)
      }
    },
  })
}
