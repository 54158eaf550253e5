import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** A run of all walks installs packages twenty times: it took 38 minutes beside other work. Milliseconds. */
const PATIENCE = 60 * 60_000

/** `STOPWATCH=Express,Hono`: those whose names begin so. `STOPWATCH="off: no registry"`: none, for that reason. */
const { STOPWATCH = '' } = process.env
const [, reason] = /^off:\s*(\S.*)$/.exec(STOPWATCH) ?? []
const asked = reason ? [] : STOPWATCH.split(',').filter(Boolean)
if (reason) console.info(`The quick starts are not followed: ${reason}`)

const followed = walks.filter(
  ({ name }) => asked.length === 0 || asked.some((one) => name.startsWith(one)),
)

/**
 * `npm run stopwatch`: each quick start, block by block, in an empty folder, with what the registry has today, so that a
 * generator that has changed is noticed by night and not by a newcomer. It needs a registry of npm and nothing else.
 */
test.skipIf(reason !== undefined)(
  'each quick start leads to a user who is signed in',
  async () => {
    const child = spawn(process.execPath, [join(rootDir, 'scripts/stopwatch.ts'), ...asked], {
      cwd: rootDir,
      env: {
        ...process.env,
        NODE_ENV: undefined,
        VITEST: undefined,
        NODE_COMPILE_CACHE: undefined,
        // A busy machine installs for minutes. This limit ends a walk that hangs.
        STOPWATCH_PATIENCE: String(20 * 60_000),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => said.push(text))
    }
    const [code] = await once(child, 'close')
    const printed = said.join('')
    expect(code, printed.slice(-8_000)).toBe(0)
    expect(followed.length).toBeGreaterThan(0)
    const table = printed.slice(printed.lastIndexOf('== '))
    for (const { name } of followed) expect(table).toContain(name)
  },
  PATIENCE,
)
