import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'

/** A started command, together with everything that it starts. */
export interface ProcessTree {
  /** Resolves when the command itself has ended, with a text that says how. */
  readonly ended: Promise<string>
  /** Ends the command and all its children. Does nothing when they have ended already. */
  stop(): Promise<void>
}

export interface ProcessTreeOptions {
  cwd: string
  env: NodeJS.ProcessEnv
  /** One line of standard output or standard error, without colors. */
  onLine(line: string, from: 'stdout' | 'stderr'): void
}

const stopGraceMs = 5000
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) signalTree(child, 'SIGKILL')
})

/**
 * Starts Node on `args` in a process group of its own, so that wrangler's own children (workerd,
 * esbuild, cloudflared) end with it: a signal to wrangler alone leaves some children behind.
 */
export function startProcessTree(args: string[], options: ProcessTreeOptions): ProcessTree {
  const { cwd, env, onLine } = options
  const child = spawn(process.execPath, args, {
    cwd,
    env,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  createInterface({ input: child.stdout }).on('line', (line) => {
    onLine(stripVTControlCharacters(line), 'stdout')
  })
  createInterface({ input: child.stderr }).on('line', (line) => {
    onLine(stripVTControlCharacters(line), 'stderr')
  })
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => {
      running.delete(child)
      resolve(`could not start: ${error.message}`)
    })
    // Processes that the command leaves behind would keep the pipes open.
    child.on('exit', () => signalTree(child, 'SIGKILL'))
    child.on('close', (code, signal) => {
      running.delete(child)
      resolve(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`)
    })
  })
  return {
    ended,
    async stop() {
      if (!running.has(child)) return
      signalTree(child, 'SIGTERM')
      const timer = setTimeout(() => signalTree(child, 'SIGKILL'), stopGraceMs)
      await ended
      clearTimeout(timer)
    },
  }
}

function signalTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(child.pid), '/T', '/F'])
    return
  }
  try {
    process.kill(-child.pid, signal)
  } catch {
    // ESRCH: no process of the group is left.
  }
}
