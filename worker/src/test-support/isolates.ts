import type { Ledger as LedgerObject } from '../ledger.js'
import { durableLedger } from '../stores/durable-ledger.js'
import type { Layout } from '../stores/ledger/placement.js'
import { memoryStore } from '../stores/memory.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig } from '../types.js'
import { FakeLedgers } from './deployment.js'
import { passkeyPeople } from './passkeys.js'

/** The numbers of objects that an isolate knows. */
export type Layouts = readonly (number | Layout)[]

/** What happens at a call of an isolate: it dies before the call or after it, or waits for something before it. */
export type Event =
  | { readonly at: number; readonly dies: 'before' | 'after' }
  | { readonly at: number; readonly waitsFor: () => Promise<unknown> }

type Method = (...args: never[]) => unknown

/**
 * A deployment of several isolates over the same objects of the ledger and the same sessions.
 *
 * @param binding of the objects
 */
export function isolates(
  changes: Partial<AuthConfig> = {},
  layouts: Layouts = [1],
  binding = new FakeLedgers().binding,
) {
  const { sessions } = memoryStore()
  /** Another isolate of the same deployment, and its calls of the stores. */
  const open = (known: Layouts = layouts) => {
    let calls = 0
    let event: Event | undefined
    let isDead = false
    const watched =
      (run: Method): Method =>
      async (...args) => {
        if (isDead) throw new Error('The isolate is dead.')
        const now = event && calls++ === event.at ? event : undefined
        if (now && 'waitsFor' in now) await now.waitsFor()
        if (now && 'dies' in now && now.dies === 'before') isDead = true
        if (isDead) throw new Error('The isolate is dead.')
        const answer = await run(...args)
        if (now && 'dies' in now) isDead = true
        if (isDead) throw new Error('The isolate is dead.')
        return answer
      }
    const get = (name: never) => {
      const object = binding.get(name) as unknown as Record<string, Method>
      return new Proxy(object, {
        get: (_, method: string) => watched((...args) => object[method]?.(...args)),
      })
    }
    const namespace = { ...binding, get } as unknown as DurableObjectNamespace<LedgerObject>
    const methods = Object.entries(sessions).map(([name, run]) => [name, watched(run as Method)])
    const inner = {
      sessions: Object.fromEntries(methods),
      ledger: durableLedger(namespace, known),
    } as Stores
    return {
      ...passkeyPeople(changes, { inner }),
      /** From now on calls are counted, and something happens at one of them. */
      arm(next: Event) {
        calls = 0
        event = next
      },
      /** Has that call come? */
      hasCome: () => event !== undefined && calls > event.at,
    }
  }
  return { open }
}

export type Isolate = ReturnType<ReturnType<typeof isolates>['open']>
