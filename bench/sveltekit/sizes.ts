import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bundleBy } from '../bundle.ts'
import {
  FORWARDED,
  LATCHKEY,
  type Library,
  plainApp,
  withClient,
  withComponent,
  withSession,
} from './app-files.ts'
import type { Workshop } from './build.ts'

/** The growth, in bytes gzip, of the files that browsers load. */
export interface ClientGrowth {
  /** A page with `<SignIn />`. */
  readonly component: number
  /** A page that calls `signIn` of the client. */
  readonly client: number
}

/** The growth, in bytes gzip, of the app's Worker. */
export interface WorkerGrowth {
  /** With the service as another Worker, bound to the app. */
  readonly forwarded: number
  readonly inProcess: number
}

export async function measureClient(workshop: Workshop, library: Library): Promise<ClientGrowth> {
  const plain = plainApp(library, 'node')
  const sizeWith = async (name: string, changes: Readonly<Record<string, string>>) =>
    clientSize(await workshop.build(name, { ...plain, ...changes }))
  const base = await sizeWith('plain', {})
  return {
    component: (await sizeWith('component', withComponent(library))) - base,
    client: (await sizeWith('client', withClient(library))) - base,
  }
}

export async function measureWorker(workshop: Workshop): Promise<WorkerGrowth> {
  const plain = plainApp(LATCHKEY, 'cloudflare')
  const sizeWith = async (name: string, changes: Readonly<Record<string, string>>) => {
    const app = await workshop.build(name, { ...plain, ...changes })
    return (await bundleBy(join(app, 'wrangler.toml'), name)).gzip
  }
  const base = await sizeWith('worker-plain', {})
  return {
    forwarded: (await sizeWith('worker-forwarded', withSession(FORWARDED))) - base,
    inProcess: (await sizeWith('worker-in-process', withSession(LATCHKEY.inProcess))) - base,
  }
}

/** Scripts and styles, each compressed by itself as it is served. */
async function clientSize(app: string): Promise<number> {
  const folder = join(app, 'build/client/_app/immutable')
  const files = await readdir(folder, { recursive: true })
  const sizes = files
    .filter((file) => /[.](js|css)$/.test(file))
    .map(async (file) => gzipSync(await readFile(join(folder, file))).length)
  if (sizes.length === 0) throw new Error(`There is no client in ${folder}.`)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
