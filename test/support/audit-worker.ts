import { Ledger as Standard } from '@latchkey/worker/features/operate'
import { Ledger as Core } from '@latchkey/worker/ledger'

export { Core }

/** The ledger with the audit log, which a test can stop. */
export class Ledger extends Standard {
  /** Restarts the object, as when the platform moves it: it loses its memory and its calls. */
  die(): void {
    this.ctx.abort('The object restarts.')
  }
}

interface Env {
  readonly LEDGER: DurableObjectNamespace<Ledger>
}

/** A question to an isolate: one call of the object, or many events at once. */
export interface Asked {
  readonly chain: string
  /** A method of the object, and its arguments. */
  readonly call?: readonly [method: string, ...args: unknown[]]
  /** The codes of events that are recorded at once. */
  readonly events?: readonly string[]
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { chain, call, events = [] } = (await request.json()) as Asked
    const object = () => env.LEDGER.get(env.LEDGER.idFromName(chain))
    if (call) {
      const [method, ...args] = call
      const stub = object() as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>
      return Response.json((await stub[method]?.(...args)) ?? null)
    }
    await Promise.all(
      events.map(async (code, at) => {
        const nonce = crypto.randomUUID()
        const entry = { time: new Date().toISOString(), event: 'sign-in', code }
        const record = () => object().record(chain, entry, nonce)
        // Every third answer is lost on its way, and the caller asks again beside it.
        if (at % 3 === 0) record().catch(() => undefined)
        // A call that dies with its object may have been done.
        for (let tries = 0; ; tries++) {
          try {
            return await record()
          } catch (error) {
            if (tries === 20) throw error
          }
        }
      }),
    )
    return new Response('Recorded.')
  },
}
