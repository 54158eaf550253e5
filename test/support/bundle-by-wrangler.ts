import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const wrangler = join(rootDir, 'node_modules/wrangler/bin/wrangler.js')

/** The files of a Worker that wrangler makes of the code, with the packages of a folder. */
export async function bundleByWrangler(folder: string, code: string): Promise<string[]> {
  await writeFile(join(folder, 'worker.ts'), code)
  const config = join(folder, 'wrangler.toml')
  const settings = 'name = "project"\nmain = "worker.ts"\ncompatibility_date = "2026-11-01"\n'
  await writeFile(config, settings)
  const args = [wrangler, 'deploy', '--dry-run', '--config', config, '--outdir', 'bundle']
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false' }
  await promisify(execFile)(process.execPath, args, { cwd: folder, env })
  return readdir(join(folder, 'bundle'))
}
