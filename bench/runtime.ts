import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import {
  convertV4MiniflareOptions,
  Miniflare,
  type V4WorkerOptionsShape,
  type WorkerdStructuredLog,
} from 'miniflare'
import type { Bundle } from './bundle.ts'
import { workerdProcesses } from './processor-time.ts'

export const SECRET = 'a-secret-of-the-bench-0123456789abcdef'

/** A real workerd that runs some Workers side by side. */
export interface Runtime extends AsyncDisposable {
  /** Process id of workerd. */
  readonly pid: number
  /** The address of workerd's inspector, if it was asked for. */
  inspector(): Promise<URL>
  /** The address of a Worker without Miniflare's own Worker in between. */
  url(worker: string): Promise<URL>
}

const driver = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, 'driver.ts'), 'utf8'))

/** The entry of a Worker with the driver in front. */
const DRIVEN = `
import { drive } from './driver.js'
import worker from './worker.js'
export * from './worker.js'
export default drive(worker)
`

/** A Worker to start. */
export interface Started {
  readonly name: string
  readonly bundle: Pick<Bundle, 'code'> & Partial<Pick<Bundle, 'modules'>>
  /** Its bindings besides the secret and the stores of a Worker with a ledger. */
  readonly settings?: V4WorkerOptionsShape
}

interface Options {
  /** Puts the driver in front of each Worker. */
  readonly driven?: boolean
  /** Opens workerd's inspector, for profiles. */
  readonly isInspected?: boolean
  /** Receives every line that a Worker logs; without it they are printed. */
  readonly onLog?: (line: WorkerdStructuredLog) => void
}

export async function start(
  workers: readonly Started[],
  { driven = false, isInspected = false, onLog }: Options = {},
): Promise<Runtime> {
  const before = new Set(workerdProcesses())
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...(isInspected && { inspectorPort: 0, unsafeInspectorProxy: false }),
      ...(onLog && { handleStructuredLogs: onLog }),
      workers: workers.map(({ name, bundle, settings = {} }) => ({
        name,
        compatibilityDate: '2026-11-01',
        ...settings,
        modules: [
          ...(driven
            ? [
                { type: 'ESModule' as const, path: 'entry.js', contents: DRIVEN },
                { type: 'ESModule' as const, path: 'driver.js', contents: driver },
                { type: 'ESModule' as const, path: 'worker.js', contents: bundle.code },
              ]
            : [{ type: 'ESModule' as const, path: 'worker.js', contents: bundle.code }]),
          ...(bundle.modules ?? []).map((one) => ({ type: 'CompiledWasm' as const, ...one })),
        ],
        bindings: { AUTH_SECRET: SECRET, ...settings.bindings },
        unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
        ...(bundle.code.includes('Ledger')
          ? {
              kvNamespaces: ['SESSIONS'],
              durableObjects: {
                ...settings.durableObjects,
                LEDGER: { className: 'Ledger', useSQLite: true },
              },
            }
          : {}),
      })),
    }),
  )
  await miniflare.ready
  const pid = workerdProcesses().find((found) => !before.has(found))
  if (pid === undefined) throw new Error('workerd did not start.')
  return {
    pid,
    inspector: () => miniflare.getInspectorURL(),
    url: (worker) => miniflare.unsafeGetDirectURL(worker),
    [Symbol.asyncDispose]: () => miniflare.dispose(),
  }
}
