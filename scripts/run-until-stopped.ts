import { DevVarsError } from './dev-vars.ts'
import { DevServerError } from './wrangler-dev.ts'

export interface Running {
  /** Resolves when it has ended by itself, with a text that says how. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

/**
 * Runs a command of this folder until a person or the system stops it, then ends the process:
 * with 0 when it was told to stop, with 1 when it could not start or ended by itself.
 */
export async function runUntilStopped(start: () => Promise<Running>): Promise<never> {
  const stopped = new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => resolve('stopped'))
    }
  })
  try {
    const running = await Promise.race([start(), stopped])
    // Stopped while starting: the processes started so far end with this one.
    if (running === 'stopped') process.exit(0)
    const how = await Promise.race([running.ended, stopped])
    await running.stop()
    if (how === 'stopped') process.exit(0)
    console.error(`\n${how}`)
  } catch (error) {
    const isKnown = error instanceof DevVarsError || error instanceof DevServerError
    console.error(isKnown ? `\n${error.message}` : error)
  }
  process.exit(1)
}
