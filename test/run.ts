import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { leftOut, SPEEDS } from './support/speeds.ts'

/**
 * `npm test`, `npm run test:all` and `npm run test:night`: vitest with the files of that run. More arguments are vitest's. The
 * last line names the tests that it left out.
 */
const root = join(import.meta.dirname, '..')
const [name, ...args] = process.argv.slice(2)
const speed = SPEEDS.find((one) => one === name)
if (!speed) throw new Error(`The first argument is one of ${SPEEDS.join(', ')}.`)

function run(command: string, given: readonly string[], env: NodeJS.ProcessEnv = {}): boolean {
  const { status } = spawnSync(command, given, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    // On Windows `npm` is a script, which needs a shell.
    shell: process.platform === 'win32' && command === 'npm',
  })
  return status === 0
}

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const times = speed === 'test:night' ? { PROPERTY_TIMES: process.env.PROPERTY_TIMES ?? '1' } : {}
const isGreen =
  // Tests pack and start the built packages. The first run checks all else too.
  run('npm', ['run', speed === 'test' ? 'check' : 'build']) &&
  run(process.execPath, [vitest, 'run', ...args], { TEST_SPEED: speed, ...times })
console.log(leftOut(speed))
if (!isGreen) process.exitCode = 1
