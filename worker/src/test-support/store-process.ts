import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** The store that several processes share. */
export interface SharedStore {
  readonly kind: 'sqlite' | 'postgres' | 'redis'
  /** As `AUTH_STORE` has it. */
  readonly value: string
}

/** The audit log of a process, which it has if there are days. */
export interface LogOfProcess {
  readonly days?: number
  /** `AUTH_WEBHOOK_URL` and `AUTH_WEBHOOK_SECRET`. */
  readonly webhook?: { readonly url: string; readonly secret: string }
}

/** A fault of a process. */
export interface Mishaps {
  /** It is killed after the driver's call of this number, counted from 0. */
  readonly killAt?: number
  /** How often the answer to a call of the driver is lost, of 1. */
  readonly faults?: number
  readonly seed?: number
}

/** The call was not answered: it is unknown whether it was made. */
export const LOST = Symbol('lost')

const root = join(import.meta.dirname, '..', '..', '..')

/** A process of its own, with a store that others share. */
export class StoreProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: unknown) => void>()
  #last = 0
  #isGone = false

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', (message: { id: number; answer?: unknown; error?: string }) => {
      this.#waiting.get(message.id)?.('error' in message ? LOST : message.answer)
      this.#waiting.delete(message.id)
    })
    child.on('exit', () => {
      this.#isGone = true
      for (const lose of this.#waiting.values()) lose(LOST)
    })
  }

  /** @param now a clock that stands still, in milliseconds; absent: the store's own */
  static async start(
    { kind, value }: SharedStore,
    {
      now,
      killAt,
      faults,
      seed,
      days,
      webhook,
    }: Mishaps & LogOfProcess & { readonly now?: number } = {},
  ): Promise<StoreProcess> {
    const env = {
      STORE_KIND: kind,
      STORE: value,
      NOW: now,
      KILL_AT: killAt,
      FAULTS: faults,
      SEED: seed,
      LOG_DAYS: days,
      AUTH_WEBHOOK_URL: webhook?.url,
      AUTH_WEBHOOK_SECRET: webhook?.secret,
    }
    const set = Object.entries(env).filter(([, one]) => one !== undefined)
    const child = fork(join(import.meta.dirname, 'store-child.ts'), {
      execArgv: ['--no-warnings', '--import', join(root, 'test/support/from-sources.ts')],
      env: {
        PATH: process.env.PATH,
        // Otherwise each process would compile the same sources again.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
        ...Object.fromEntries(set.map(([name, one]) => [name, `${one}`])),
      },
      serialization: 'advanced',
    })
    const started = new StoreProcess(child)
    const [said] = await Promise.race([once(child, 'message'), once(child, 'exit')])
    if (said !== 'ready') throw new Error(`The process of a store ended at its start: ${said}`)
    return started
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** @returns {@link LOST} if the call fails, or the process ends before it answers */
  async call(
    part: 'sessions' | 'ledger' | 'log',
    name: string,
    args: readonly unknown[],
  ): Promise<unknown> {
    if (this.#isGone || !this.#child.connected) return LOST
    const id = ++this.#last
    return new Promise((answer) => {
      this.#waiting.set(id, answer)
      this.#child.send({ id, part, name, given: args }, (error) => error && answer(LOST))
    })
  }

  async kill(): Promise<void> {
    if (this.#isGone) return
    this.#child.kill('SIGKILL')
    if (!this.#isGone) await once(this.#child, 'exit')
  }
}
