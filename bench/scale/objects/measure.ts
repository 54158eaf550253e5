import { fileURLToPath } from 'node:url'
import { bundleWorker } from '../../../test/support/bundle-worker.ts'
import { processorTime } from '../../processor-time.ts'
import { type Runtime, start } from '../../runtime.ts'
import { printColumns } from '../../table.ts'

/** Calls in one turn, and calls that are under way at once. */
const COUNT = 1_000
const WIDTH = 50
/** The calls take turns, so that a busy moment of the machine hits all. */
const TURNS = 8

const CALLS = ['nothing', 'isRevoked', 'consume', 'revoke', 'cutOff', 'changeDocument'] as const
const SENDING = 'send a megabyte'

/**
 * Prints what a call costs at a real Durable Object in workerd, as a multiple of a call that does nothing, and how
 * long workerd works to send a megabyte from one object to a Worker: the simulator uses these times.
 */
export async function benchObjects(): Promise<void> {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const code = await bundleWorker(path('worker.ts'), [
    { find: /^@latchkey\/(session|host|worker)$/, replacement: path('../../../$1/src/index.ts') },
    {
      find: /^@latchkey\/(session|host|worker)\/(.+)$/,
      replacement: path('../../../$1/src/$2.ts'),
    },
  ])
  const settings = { durableObjects: { BARE: { className: 'Bare', useSQLite: true } } }
  await using runtime = await start([{ name: 'objects', bundle: { code }, settings }])
  const times = new Map<string, number[]>()
  for (let turn = 0; turn < TURNS; turn++) {
    for (const call of [...CALLS, SENDING]) {
      const taken = await timeOf(runtime, call, `${turn}`)
      if (turn > 0) times.set(call, [...(times.get(call) ?? []), taken])
    }
  }
  const nothing = median(times.get('nothing') ?? [])
  const lines = [...times].map(([call, taken]) => {
    const time = median(taken)
    return [call, `${time.toFixed(3)} ms`, (time / nothing).toFixed(1)]
  })
  printColumns(['', 'processor time', 'as a multiple of an empty call'], lines)
}

/** @returns milliseconds of workerd's processor time for one call */
async function timeOf(runtime: Runtime, call: string, run: string): Promise<number> {
  const isSending = call === SENDING
  const count = isSending ? 40 : COUNT
  const query = new URLSearchParams({
    call,
    run,
    count: `${count}`,
    width: `${isSending ? 2 : WIDTH}`,
  })
  const before = processorTime(runtime.pid)
  const { ok, status } = await fetch(new URL(`/?${query}`, await runtime.url('objects')))
  if (!ok) throw new Error(`The Worker answered ${status}.`)
  return (processorTime(runtime.pid) - before) / count
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? 0
}
