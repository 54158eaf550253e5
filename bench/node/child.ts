import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A process of the bench that answers each message with one. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  /** The message that it sent when it was ready. */
  readonly greeting: unknown
  ask(message: string | number | object): Promise<unknown>
}

/** @param name of a file in `processes/` */
export async function start(name: string, ...args: readonly string[]): Promise<Child> {
  const child = fork(join(import.meta.dirname, 'processes', `${name}.ts`), args, {
    env: { ...process.env, NODE_ENV: 'production' },
    execArgv: ['--expose-gc'],
    serialization: 'advanced',
  })
  const greeting = await answer(child, [name, ...args])
  return {
    pid: child.pid ?? 0,
    greeting,
    ask: (message) => {
      child.send(message)
      return answer(child, [name, ...args])
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return
      child.kill()
      await once(child, 'exit')
    },
  }
}

async function answer(child: ChildProcess, command: readonly string[]): Promise<unknown> {
  const ended = new AbortController()
  const { signal } = ended
  const fails = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`The process for ${command.join(' ')} ended with ${code}.`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), fails])
    return message
  } finally {
    ended.abort()
    fails.catch(() => {})
  }
}
