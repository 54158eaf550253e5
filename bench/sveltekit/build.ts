import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** A temporary folder with packages, in which apps are built. */
export interface Workshop extends AsyncDisposable {
  /** @returns the folder of the app */
  build(name: string, files: Readonly<Record<string, string>>): Promise<string>
}

/** With the packages of this repository. */
export function openWorkshop(): Promise<Workshop> {
  return open((folder) => symlink(join(root, 'node_modules'), join(folder, 'node_modules')))
}

/** With packages of its own, which npm installs. */
export function installWorkshop(packages: readonly string[]): Promise<Workshop> {
  return open(async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }))
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', ['install', ...quiet, ...packages], { cwd: folder })
  })
}

async function open(prepare: (folder: string) => Promise<void>): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-bench-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await prepare(folder)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    async build(name, files) {
      const app = join(folder, name)
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(app, path)), { recursive: true })
        await writeFile(join(app, path), text)
      }
      await run(process.execPath, [join(folder, 'node_modules/vite/bin/vite.js'), 'build'], {
        cwd: app,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
      })
      return app
    },
    [Symbol.asyncDispose]: remove,
  }
}
