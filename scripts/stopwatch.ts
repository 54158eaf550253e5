import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../test/support/browser.ts'
import { signInAsAda } from './stopwatch/sign-in.ts'
import { secondsOfPerson, stepsOf, type Walk, walks } from './stopwatch/walks.ts'
import { requireFreePort, rootDir } from './wrangler-dev.ts'

/**
 * `npm run stopwatch`: follows the quick starts of the READMEs, block by block, each in an empty folder with a clone
 * of the last commit and with an empty cache of npm, until a user is signed in in a browser. It prints how long
 * that takes. `npm run stopwatch -- Express` follows those with a name that begins with it.
 */
const patience = Number(process.env.STOPWATCH_PATIENCE ?? 240_000)

/** A folder that is used up, and what runs in it. */
interface Place {
  readonly folder: string
  cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Process groups. */
  readonly running: number[]
}

const names = process.argv.slice(2)
const asked = walks.filter(
  ({ name }) => names.length === 0 || names.some((one) => name.startsWith(one)),
)
const browser = await launchBrowser()
const rows: string[][] = []
let place: Place | undefined
try {
  for (const [index, walk] of asked.entries()) {
    const begun = place ?? begin()
    place = begun
    if (walk.restarts) await stop(begun.running.splice(-1))
    console.log(`\n== ${walk.name}`)
    const [setUp, app, signIn] = await follow(walk, begun, browser)
    const person = secondsOfPerson(walk)
    const sum = setUp + app + signIn + person
    rows.push([
      walk.name,
      ...[setUp, app, signIn, person, sum].map((seconds) => `${Math.round(seconds)} s`),
      `${walk.goal} min${sum <= walk.goal * 60 ? '' : ': missed'}`,
    ])
    if (asked[index + 1]?.goesOn) continue
    await end(begun)
    place = undefined
  }
} finally {
  if (place) await end(place)
  await browser.close()
}
const load = loadavg().map((one) => one.toFixed(1))
console.log(`
${table(rows)}

packages: the clone's npm install, its build, npm pack, sv create, and the stand-in or the Worker until it answers.
app: the next commands of the page, until the app answers. sign-in: in Chromium, until the app shows the user.
person: 10 s for each block that is copied, and the page's words up to there at 200 a minute. Not in it: cloning, starting the browser.
Node ${process.version}, an empty cache of npm, ${availableParallelism()} processors, load ${load.join(', ')}.`)
process.exit(0)

/** An empty folder with a clone. Making it does not count as time. */
function begin(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-stopwatch-'))
  const clone = join(folder, 'latchkey')
  execFileSync('git', ['clone', '--quiet', rootDir, clone])
  // As in a terminal of its own: without this folder's commands, and without what npm hands to a script.
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_(?!config_registry)|auth_|node_env$|init_cwd$)/i.test(name),
  )
  const paths = (process.env.PATH ?? '').split(delimiter)
  const outside = paths.filter((path) => !path.includes('node_modules'))
  const env = {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), ...outside].join(delimiter),
    npm_config_cache: join(folder, 'npm-cache'),
    // The answer to "Ok to proceed?".
    npm_config_yes: 'true',
    WRANGLER_REGISTRY_PATH: join(folder, 'registry'),
    WRANGLER_SEND_METRICS: 'false',
    FORCE_COLOR: '0',
    NEXT_FONT_GOOGLE_MOCKED_RESPONSES: join(rootDir, 'scripts', 'stopwatch', 'fonts.cjs'),
  }
  return { folder, cwd: clone, env, running: [] }
}

/** Asks first, so that commands can end the process groups that they have started. */
async function end({ folder, running }: Place): Promise<void> {
  await stop(running)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

async function stop(groups: readonly number[]): Promise<void> {
  for (const group of groups) signal(group, 'SIGTERM')
  const limit = performance.now() + 60_000
  while (performance.now() < limit && groups.some((group) => signal(group, 0))) await pause()
  for (const group of groups) signal(group, 'SIGKILL')
}

/** @returns whether anything of the process group is left */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}

function pause(): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, 100))
}

/** @returns the seconds until the first server answers, until the app does, and of the sign-in */
async function follow(walk: Walk, at: Place, browser: Browser): Promise<[number, number, number]> {
  for (const step of stepsOf(walk)) {
    for (const url of ('serves' in step && step.serves) || []) {
      await requireFreePort('stopwatch', Number(new URL(url).port))
    }
  }
  const start = performance.now()
  const laps: number[] = []
  for (const step of stepsOf(walk)) {
    if ('file' in step) {
      mkdirSync(dirname(join(at.cwd, step.file)), { recursive: true })
      writeFileSync(join(at.cwd, step.file), step.text)
      continue
    }
    console.log(step.commands.trim().replaceAll(/^/gm, '   $ '))
    await run(step.commands, step.serves, at)
    const [, folder] = /^cd (\S+)$/m.exec(step.commands) ?? []
    if (folder !== undefined) at.cwd = join(at.cwd, folder)
    if (step.serves !== undefined) laps.push(performance.now() - start)
  }
  const ready = performance.now() - start
  await signInAsAda(walk.address, browser, walk.base)
  const setUp = laps.length > 1 ? (laps[0] ?? 0) : 0
  return [setUp / 1000, (ready - setUp) / 1000, (performance.now() - start - ready) / 1000]
}

/** Until the commands have ended, or until the server that they start answers. */
async function run(
  commands: string,
  serves: readonly string[] | undefined,
  at: Place,
): Promise<void> {
  const child = spawn('sh', ['-e', '-c', commands], {
    cwd: at.cwd,
    env: at.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => printed.push(String(data)))
  }
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  if (child.pid !== undefined) at.running.push(child.pid)
  const answered =
    serves === undefined
      ? new Promise<never>(() => {})
      : Promise.all(serves.map(answers)).then(() => 'ready' as const)
  const code = await Promise.race([ended, answered.catch(({ message }: Error) => message)])
  const isFine = serves === undefined ? code === 0 : code === 'ready'
  if (!isFine) throw new Error(`These commands failed (${code}):\n${commands}\n${printed.join('')}`)
}

/** @throws {Error} if no answer comes for minutes */
async function answers(url: string): Promise<void> {
  const limit = performance.now() + patience
  while (performance.now() < limit) {
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
    if (answer && answer.status < 500) return
    await pause()
  }
  throw new Error(`Nothing answers at ${url}.`)
}

function table(rows: readonly string[][]): string {
  const heads = ['quick start', 'packages', 'app', 'sign-in', 'person', 'together', 'goal']
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return [heads, rule, ...rows].map(line).join('\n')
}
