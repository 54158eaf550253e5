import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

/** A Worker as `wrangler deploy` uploads it. */
export interface Bundle {
  readonly name: string
  readonly code: string
  /** Modules of WebAssembly beside it. */
  readonly modules: readonly { readonly path: string; readonly contents: Buffer<ArrayBuffer> }[]
  /** Bytes. */
  readonly gzip: number
  /** Active milliseconds by `wrangler check startup`, one for each run. */
  readonly startup: readonly number[]
}

/**
 * @param entry a file of `contestants/`; without it the service of this repository
 * @param profiles how often to call `wrangler check startup`
 * @param minify `false`: the names of functions and files stay, for a profile
 */
export function bundle(name: string, entry?: string, profiles = 0, minify = true): Promise<Bundle> {
  const source = entry === undefined ? [] : [join(import.meta.dirname, 'contestants', entry)]
  const config = entry === undefined ? 'wrangler.toml' : 'bench/contestants/wrangler.toml'
  return bundleBy(config, name, source, { profiles, minify })
}

/** @param config a wrangler.toml that names the bundled entry, unless `source` does */
export async function bundleBy(
  config: string,
  name: string,
  source: readonly string[] = [],
  { profiles = 0, minify = true } = {},
): Promise<Bundle> {
  const out = await mkdtemp(join(tmpdir(), 'latchkey-bench-'))
  try {
    const upload = join(out, 'worker.bundle')
    const target = ['--dry-run', `--minify=${minify}`, '--outdir', out, '--outfile', upload]
    await wrangler('deploy', ...source, '--config', config, ...target)
    const files = await readdir(out)
    const file = files.find((found) => found.endsWith('.js'))
    if (!file) throw new Error(`wrangler wrote no script for ${name}.`)
    const code = await readFile(join(out, file), 'utf8')
    const modules = await Promise.all(
      files
        .filter((found) => found.endsWith('.wasm'))
        .map(async (path) => ({ path, contents: await readFile(join(out, path)) })),
    )
    const startup: number[] = []
    while (startup.length < profiles) startup.push(await checkStartup(upload, join(out, 'profile')))
    return { name, code, modules, gzip: gzipSync(code).length, startup }
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

async function checkStartup(upload: string, outfile: string): Promise<number> {
  const printed = await wrangler('check', 'startup', '--worker', upload, '--outfile', outfile)
  const active = /Active: ([\d.]+) ms/.exec(printed)?.[1]
  if (active === undefined) throw new Error('`wrangler check startup` reported no active time.')
  return Number(active)
}

async function wrangler(...args: string[]): Promise<string> {
  const script = join(root, 'node_modules/wrangler/bin/wrangler.js')
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', NO_COLOR: '1' }
  const { stdout } = await run(process.execPath, [script, ...args], { cwd: root, env })
  return stdout
}
