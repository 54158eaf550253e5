import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bundle } from './bundle.ts'
import { median, processorTime } from './processor-time.ts'

/** Enough isolates at once that workerd's own start hardly counts. */
const ISOLATES = 40
const ROUNDS = 7

const miniflare = createRequire(import.meta.url).resolve('miniflare')
const workerd = createRequire(miniflare)('workerd').default as string

/**
 * Milliseconds of processor time that one isolate with this Worker takes to start (compile and
 * evaluate), above what an empty one takes. The bundles take turns; the medians of all rounds.
 */
export async function measureStartUp(
  bundles: readonly Bundle[],
  empty: Bundle,
): Promise<ReadonlyMap<Bundle, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'))
  try {
    const all = [empty, ...bundles]
    const configs = await Promise.all(all.map((one) => writeConfig(folder, one)))
    const extra = new Map(bundles.map((one) => [one, [] as number[]]))
    for (let round = 0; round < ROUNDS; round++) {
      const times: number[] = []
      for (const config of configs) times.push(await startOnce(config))
      const [base = 0, ...others] = times
      bundles.forEach((one, index) => {
        extra.get(one)?.push((others[index] ?? 0) - base)
      })
    }
    return new Map([...extra].map(([one, times]) => [one, median(times)]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function startOnce(config: string): Promise<number> {
  const child = spawn(workerd, ['serve', config, '--control-fd=3'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  try {
    // workerd reports that it listens after every isolate has evaluated its Worker.
    await new Promise((resolve, reject) => {
      child.stdio[3]?.once('data', resolve)
      child.once('exit', () => reject(new Error('workerd did not start.')))
    })
    return processorTime(child.pid ?? 0) / ISOLATES
  } finally {
    child.kill()
  }
}

/** A workerd that starts many copies of a Worker, each with text of its own so that none is shared. */
async function writeConfig(folder: string, { name, code }: Bundle): Promise<string> {
  const services: string[] = []
  for (let copy = 0; copy < ISOLATES; copy++) {
    const file = `${name}-${copy}.js`
    await writeFile(join(folder, file), `${code}\n// ${copy}\n`)
    const module = `(name = "worker.js", esModule = embed "${file}")`
    const worker = `(compatibilityDate = "2026-11-01", modules = [${module}])`
    services.push(`(name = "copy-${copy}", worker = ${worker})`)
  }
  const socket = '(name = "http", address = "127.0.0.1:0", http = (), service = "copy-0")'
  const config = join(folder, `${name}.capnp`)
  await writeFile(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [${services.join(', ')}], sockets = [${socket}]);
`,
  )
  return config
}
