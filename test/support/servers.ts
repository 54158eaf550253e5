import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPrograms } from './database-programs.js'
import { freePort } from './free-port.js'

/** A server of a database, for tests alone. */
export interface Server {
  readonly url: string
  /** Ends it as a power failure would, and restarts it over the contents of its disk. */
  crash(): Promise<void>
  stop(): Promise<void>
}

const [postgres, redis] = await Promise.all([findPrograms('Postgres'), findPrograms('Redis')])

export const hasPostgres = 'bin' in postgres
export const hasRedis = 'bin' in redis

export async function startPostgres(): Promise<Server> {
  if ('why' in postgres) throw new Error(postgres.why)
  const { bin, env, as } = postgres
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  if (as) chownSync(folder, as.uid, as.gid)
  const options = ['-N', '-U', 'app', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-D', folder]
  execFileSync(join(bin, 'initdb'), options, { ...as, env, stdio: 'ignore' })
  const port = await freePort()
  // The writes of a process outlive it in the system's cache; only the end of the machine would
  // need the disk.
  const given = ['-D', folder, '-p', `${port}`, '-h', '127.0.0.1', '-k', folder, '-F']
  const start = () => spawn(join(bin, 'postgres'), given, { ...as, env, stdio: 'ignore' })
  return serverOf(`postgres://app@127.0.0.1:${port}/postgres`, port, folder, start)
}

export async function startRedis(): Promise<Server> {
  if ('why' in redis) throw new Error(redis.why)
  const { bin, env } = redis
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const settings = ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--save', '']
  const lasting = ['--appendonly', 'yes', '--appendfsync', 'always', '--databases', '1000']
  const start = () =>
    spawn(join(bin, 'redis-server'), [...settings, ...lasting], { env, stdio: 'ignore' })
  return serverOf(`redis://127.0.0.1:${port}`, port, folder, start)
}

async function serverOf(
  url: string,
  port: number,
  folder: string,
  start: () => ChildProcess,
): Promise<Server> {
  let child = start()
  const end = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGQUIT')
    setTimeout(() => child.kill('SIGKILL'), 3_000).unref()
    await ended
  }
  await isListening(port, child)
  return {
    url,
    async crash() {
      await end()
      child = start()
      await isListening(port, child)
    },
    async stop() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const isThere = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isThere) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The server of the database has ended at its start.')
}
