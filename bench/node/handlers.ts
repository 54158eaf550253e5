import { median } from '../processor-time.ts'
import { start } from './child.ts'
import type { Measure } from './processes/handlers.ts'

/** Microseconds of processor time that one request takes in an app of a kind. */
export interface HandlerCost {
  readonly with: number
  /** What reading the session adds: the median of neighboring rounds. */
  readonly added: number
}

const ROUNDS = 41
const SESSIONS = 2_000
const REQUESTS = 5_000

/** Requests through the Hono adapter and through `handle` of standard requests, which take turns. */
export async function measureHandlers(): Promise<Readonly<Record<'hono' | 'web', HandlerCost>>> {
  await using processes = new AsyncDisposableStack()
  const open = async (kind: string) => {
    const child = processes.use(await start('handlers', kind, String(SESSIONS)))
    const ask = async (isWithSession: boolean) => {
      const asked: Measure = { isWithSession, requests: REQUESTS }
      return (await child.ask(asked)) as number
    }
    const rounds: { readonly with: number; readonly without: number }[] = []
    const run = async (isWithFirst: boolean) => {
      const first = isWithFirst ? await ask(true) : undefined
      const without = await ask(false)
      rounds.push({ with: first ?? (await ask(true)), without })
    }
    // Warm up until the code is compiled, and every token was seen once.
    for (let round = 0; round < 3; round++) await run(false)
    rounds.length = 0
    const cost = (): HandlerCost => ({
      with: median(rounds.map((round) => round.with)),
      added: median(rounds.map((round) => round.with - round.without)),
    })
    return { run, cost }
  }
  const [hono, web] = [await open('hono'), await open('web')]
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run } of [hono, web]) await run(round % 2 > 0)
  }
  return { hono: hono.cost(), web: web.cost() }
}
