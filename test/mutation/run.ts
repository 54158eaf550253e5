import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { argued, type Fault } from './argued.ts'
import { files } from './files.ts'

/**
 * `npm run mutate [-- part-of-a-path …]`: puts one small fault after another into the code that
 * decides who is signed in, and runs the tests of that file. A fault that no test notices is
 * printed, unless `argued.ts` says why it does not matter. An argument is printed too if its fault
 * no longer exists. Either makes the run fail. Takes half a minute to ten for each file.
 */
const root = join(import.meta.dirname, '../..')
const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js')

/** A fault, as the report has it (mutation-testing-report-schema). Lines and columns begin at 1. */
interface Mutant {
  readonly status: string
  readonly replacement: string
  readonly location: { readonly start: Place; readonly end: Place }
}
interface Place {
  readonly line: number
  readonly column: number
}

// A run takes long, and other work on the machine should not.
setPriority(15)
const parts = process.argv.slice(2)
const chosen = Object.entries(files).filter(
  ([file]) => parts.length === 0 || parts.some((part) => file.includes(part)),
)
if (chosen.length === 0) throw new TypeError('No file has such a name: see test/mutation/files.ts.')
const sound = chosen.map(([file, tests]) => judge(file, tests))
process.exitCode = sound.every((isSound) => isSound) ? 0 : 1

/** @returns whether every fault is noticed or argued, and every argument is needed */
function judge(file: string, tests: readonly string[]): boolean {
  const report = mutate(file, tests)
  if (typeof report === 'string') {
    console.log(`✗ ${file}: its tests fail without a fault\n${report}`)
    return false
  }
  const { source, mutants } = report
  const lines = source.split('\n').map((line) => line.trim())
  const missed = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const lineOf = ({ location }: Mutant) => lines[location.start.line - 1] ?? ''
  const given = Object.values(argued[file] ?? {}).flat()
  const isFor =
    (mutant: Mutant) =>
    ([line, to = '']: Fault) =>
      lineOf(mutant).startsWith(line) && oneLine(mutant.replacement).startsWith(to)
  const open = missed.filter((mutant) => !given.some(isFor(mutant)))
  // A busy machine makes more: many are a reason to look again.
  const hung = mutants.filter(({ status }) => status === 'Timeout')
  const idle = given.filter((one) => ![...missed, ...hung].some((mutant) => isFor(mutant)(one)))
  const noticed = mutants.length - missed.length
  const percent = ((100 * noticed) / mutants.length).toFixed(1)
  const isSound = open.length + idle.length === 0
  console.log(
    `${isSound ? '✓' : '✗'} ${file}: ${noticed} of ${mutants.length} noticed (${percent} %, ${hung.length} since they hang), ${missed.length - open.length} argued`,
  )
  for (const mutant of open) {
    const { start, end } = mutant.location
    const was = source.split('\n').slice(start.line - 1, end.line)
    was[was.length - 1] = was.at(-1)?.slice(0, end.column - 1) ?? ''
    was[0] = was[0]?.slice(start.column - 1) ?? ''
    console.log(`  missed at line ${start.line}: ${lineOf(mutant)}`)
    console.log(`    ${oneLine(was.join('\n'))}  →  ${oneLine(mutant.replacement)}`)
  }
  for (const [line, to = 'any'] of idle) console.log(`  argued for nothing: ${line}  →  ${to}`)
  return isSound
}

interface Report {
  readonly source: string
  readonly mutants: readonly Mutant[]
}

/** @returns what Stryker printed, if it came to no end */
function mutate(file: string, tests: readonly string[]): Report | string {
  const options = ['run', 'test/mutation/stryker.config.json', '--mutate', file]
  const { status, stdout } = spawnSync(process.execPath, [stryker, ...options], {
    cwd: root,
    // One seed, so that two runs find the same.
    env: { ...process.env, TESTS: tests.join('\n'), PROPERTY_SEED: '1', PROPERTY_TIMES: '1' },
    encoding: 'utf8',
  })
  if (status !== 0) return stdout
  const report = JSON.parse(readFileSync(join(import.meta.dirname, '.report.json'), 'utf8'))
  return report.files[file]
}

function oneLine(code: string): string {
  return code.replace(/\s+/g, ' ')
}
