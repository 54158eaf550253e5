import { spawn } from 'node:child_process'
import { join } from 'node:path'

/**
 * `npm run check`: builds the packages, and checks words, types, style, the directions of imports,
 * and unused code, each by its `npm run` command. Two lanes run in parallel; within a lane a step may
 * need the output of the earlier ones.
 */
const lanes = [
  // Kit's own files, which `check:unused` follows, are made by `check:example`.
  ['build', 'check:components', 'check:example', 'check:unused'],
  ['check:words', 'check:style', 'check:imports', 'check:types'],
]

/** @returns whether all was well; a lane ends with the first step that fails */
async function runLane(scripts: readonly string[]): Promise<boolean> {
  for (const script of scripts) {
    const began = performance.now()
    const { code, printed } = await run(script)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✓' : '✗'} ${script} (${seconds} s)`)
    if (code === 0) continue
    console.log(printed)
    return false
  }
  return true
}

function run(script: string): Promise<{ code: number | null; printed: string }> {
  const child = spawn('npm', ['run', script], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    // On Windows `npm` is a script, which needs a shell.
    shell: process.platform === 'win32',
  })
  let printed = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (part) => {
      printed += part
    })
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, printed })))
}

// Both lanes read them.
const results = (await runLane(['modules'])) ? await Promise.all(lanes.map(runLane)) : [false]
if (results.includes(false)) process.exitCode = 1
