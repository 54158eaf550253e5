import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** The command as a package has it. */
const command = join(rootDir, 'cli/dist/latchkey.js')

/** Runs the command line as it is built, piped, with these variables alone. */
export function runLatchkey(
  args: readonly string[],
  env: Record<string, string> = {},
  directory = rootDir,
): Promise<{ readonly code: number; readonly printed: string; readonly noted: string }> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [command, ...args],
      { env, cwd: directory },
      (_, printed, noted) => done({ code: child.exitCode ?? -1, printed, noted }),
    )
    child.stdin?.end()
  })
}
