import { median } from '../processor-time.ts'
import { type Child, start } from './child.ts'

/** A contestant's file, and the settings of its measurement. */
export interface Reader {
  readonly contestant: string
  readonly sessions: number
  /** Reads of one round: enough for it to be measured. */
  readonly reads: number
}

/** Many short rounds, since other load on the machine changes slowly. */
const ROUNDS = 41

/**
 * Microseconds of processor time for one read, of each round. The contestants take turns, so that
 * neighboring rounds saw the same machine.
 */
export async function measureReads(
  readers: readonly Reader[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  await using processes = new AsyncDisposableStack()
  const children: { reader: Reader; child: Child; rounds: number[] }[] = []
  for (const reader of readers) {
    const child = processes.use(await start('reader', reader.contestant, `${reader.sessions}`))
    // Warm up: code is compiled, and every token was seen once.
    for (let seen = 0; seen < 3 * reader.sessions; seen += reader.reads)
      await child.ask(reader.reads)
    children.push({ reader, child, rounds: [] })
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { reader, child, rounds } of children) {
      rounds.push((await child.ask(reader.reads)) as number)
    }
  }
  return new Map(children.map(({ reader, rounds }) => [reader.contestant, rounds]))
}

/** How many times as long one takes as the other: the median of neighboring rounds. */
export function ratio(of: readonly number[] = [], to: readonly number[] = []): number {
  return median(of.map((cost, round) => cost / (to[round] ?? Number.NaN)))
}
