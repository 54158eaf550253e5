import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
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
  const url = `postgres://app@127.0.0.1:${port}/postgres`
  return serverOf({ url, folder, start, answers: () => postgresAnswers(url) })
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
  const url = `redis://127.0.0.1:${port}`
  return serverOf({ url, folder, start, answers: () => redisAnswers(port) })
}

/** It listens before it takes a session: until then it answers with 57P03. */
async function postgresAnswers(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/** It listens before it has read its file: until then it answers with LOADING. */
async function redisAnswers(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  const said = await new Promise<string>((resolve) => {
    socket.once('data', (data) => resolve(String(data))).once('error', () => resolve(''))
    socket.once('close', () => resolve(''))
    socket.write('PING\r\n')
  })
  socket.destroy()
  return said.startsWith('+PONG')
}

interface Parts {
  readonly url: string
  readonly folder: string
  start(): ChildProcess
  answers(): Promise<boolean>
}

async function serverOf({ url, folder, start, answers }: Parts): Promise<Server> {
  let child = start()
  const end = async () => {
    const ending = child
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGQUIT')
    // Of this process: by then another one may run in its place.
    const timer = setTimeout(() => ending.kill('SIGKILL'), 3_000)
    await ended
    clearTimeout(timer)
  }
  const isReady = async () => {
    while (child.exitCode === null) {
      if (await answers()) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error('The server of the database has ended at its start.')
  }
  await isReady()
  return {
    url,
    async crash() {
      await end()
      child = start()
      await isReady()
    },
    async stop() {
      await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
