import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { bundleWorker } from '../support/bundle-worker.ts'
import type { Contents } from './doors.ts'
import type { Packages } from './versions.ts'

export const ORIGIN = 'https://auth.example'
const ISSUER = `${ORIGIN}/auth`
const entryOf = (name: string) => fileURLToPath(new URL(`${name}.ts`, import.meta.url))

/** A request, with the clock and the settings of the Worker that answers it. */
export interface Ask extends RequestInit {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly env: Readonly<Record<string, string>>
}

/** A Worker of one version in workerd, with KV and Durable Objects of its own. */
export interface Deployed {
  ask(path: string, ask: Ask): Promise<Response>
  dump(shards: string): Promise<Contents>
  load(kept: Contents): Promise<void>
  /** Runs the alarm. @param now milliseconds since the epoch */
  sweep(shards: string, now: number): Promise<void>
  stop(): Promise<void>
}

type Version = Pick<Packages, 'alias' | 'version'>

/** Bundles of this process, by version and entry: all files of the upgrade run the same ones. */
const bundles = new Map<string, Promise<string>>()

function bundled({ alias, version }: Version, entry: string): Promise<string> {
  const name = `${version} ${entry}`
  const made = bundles.get(name) ?? bundleWorker(entryOf(entry), alias)
  bundles.set(name, made)
  return made
}

/**
 * @param objects the version that runs the Durable Objects: during a deployment it is another one
 * @param entry the Worker
 */
export async function deploy(
  packages: Version,
  objects: Version = packages,
  entry: 'worker' | 'people-worker' = 'worker',
): Promise<Deployed> {
  const one = async (name: string, version: Version, scriptName: string) => ({
    name,
    modules: [
      {
        type: 'ESModule' as const,
        path: 'worker.js',
        contents: await bundled(version, entry),
      },
    ],
    compatibilityDate: '2026-11-01',
    kvNamespaces: ['SESSIONS'],
    durableObjects: { LEDGER: { className: 'Ledger', scriptName, useSQLite: true } },
  })
  const isMixed = objects !== packages
  const workers = [await one('worker', packages, isMixed ? 'objects' : 'worker')]
  if (isMixed) workers.push(await one('objects', objects, 'objects'))
  const miniflare = new Miniflare(convertV4MiniflareOptions({ workers }))
  const ask = async (path: string, { now, env, ...init }: Ask) => {
    const headers = new Headers(init.headers)
    headers.set('x-test-now', String(now))
    if (isMixed) headers.set('x-test-mixed', '1')
    headers.set('x-test-env', JSON.stringify({ AUTH_URL: ISSUER, ...env }))
    const asked = { redirect: 'manual', ...init, headers } as never
    return (await miniflare.dispatchFetch(ORIGIN + path, asked)) as unknown as Response
  }
  const door = async (path: string, body: unknown, now = 0): Promise<Response> => {
    const answer = await ask(path, { now, env: {}, method: 'POST', body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return answer
  }
  return {
    ask,
    dump: async (shards) =>
      (await (await door('/test/dump', objectsOf(shards))).json()) as Contents,
    load: async (kept) => void (await door('/test/load', kept)),
    sweep: async (shards, now) => void (await door('/test/sweep', objectsOf(shards), now)),
    stop: () => miniflare.dispose(),
  }
}

/** The names of the ledger's objects: part of the format. @param shards `AUTH_LEDGER_SHARDS` */
function objectsOf(shards: string): string[] {
  return shards.split(',').flatMap((text) => {
    const count = Number(text)
    return count === 1
      ? ['ledger']
      : Array.from({ length: count }, (_, at) => `ledger-${count}-${at}`)
  })
}
