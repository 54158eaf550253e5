import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listed } from './speed-lists.ts'

/**
 * Three runs share the tests, by how long one waits for them: a newcomer runs `test`, a change has to pass `test:all`
 * too, and `test:night` has the rest. `speed-lists.ts` says which file belongs where.
 */
export const SPEEDS = ['test', 'test:all', 'test:night'] as const
export type Speed = (typeof SPEEDS)[number]

/** Tests that replace modules, run the only app of their process, or listen to all of its network: no other file shares theirs. */
export const apart = [
  'adapters/next/src/copies.test.ts',
  'adapters/next/src/page.test.ts',
  'adapters/sveltekit/src/base.test.ts',
  'test/functions/{docs-examples,fresh-sign-ins,quick-start-hono,sandbox-page}.test.ts',
  'worker/src/languages/texts.test.ts',
]

/** The files of each project of vitest. */
export const patterns = {
  functions: [
    'session/src/**/*.test.ts',
    'host/src/**/*.test.ts',
    'client/src/**/*.test.ts',
    'adapters/*/src/**/*.test.ts',
    'worker/{src,openapi}/**/*.test.ts',
    'cli/src/**/*.test.ts',
    'migrate/src/**/*.test.ts',
    'sandbox/src/**/*.test.ts',
    'scripts/**/*.test.ts',
    'bench/**/*.test.ts',
    'test/contracts/**/*.test.ts',
    'test/functions/**/*.test.ts',
    'test/upgrade/**/*.test.ts',
  ],
  components: ['adapters/sveltekit/test/**/*.test.ts', ...apart],
  workerd: ['test/workerd/**/*.test.ts'],
  endToEnd: ['test/end-to-end/**/*.test.ts'],
}

const root = join(import.meta.dirname, '../..')

const found = (given: readonly string[]) =>
  globSync([...given], { cwd: root, exclude: ['**/node_modules/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()

export const testFiles = (): string[] => [...new Set(found(Object.values(patterns).flat()))]

/** The run in which a file is. In workerd and end to end only the listed ones are in the first. */
function speedOf(path: string): Speed {
  return listed.get(path) ?? (/^test\/(?:end-to-end|workerd)\//.test(path) ? 'test:all' : 'test')
}

/** By night properties are tried on four times as many cases as by day (`holds.ts`). */
const hasProperties = (path: string) =>
  /from '.*\/support\/holds\.(?:js|ts)'/.test(readFileSync(join(root, path), 'utf8'))

/** Does a run have this file? One with properties is in the run by night too. */
export function has(speed: Speed, path: string): boolean {
  return speedOf(path) === speed || (speed === 'test:night' && hasProperties(path))
}

/** The run that `test/run.ts` asks for; `undefined`: all files, or those that the command line names. */
const asked = SPEEDS.find((one) => one === process.env.TEST_SPEED)

/** The files of these patterns that are in the run that was asked for. */
export function inRun(given: readonly string[]): string[] {
  return asked ? found(given).filter((path) => has(asked, path)) : [...given]
}

/** What a run leaves out, in one line. */
export function leftOut(speed: Speed): string {
  const others = SPEEDS.filter((one) => one !== speed).map((one) => {
    const files = testFiles().filter((path) => speedOf(path) === one && !has(speed, path))
    return `${files.length} files of \`npm ${one === 'test' ? '' : 'run '}${one}\``
  })
  const cases = speed === 'test:night' ? '' : ', and three of four cases of each property'
  return `Left out: ${others.join(', ')}${cases}.`
}
