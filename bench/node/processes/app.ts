import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { type Contestant, people, type Session } from '../contestant.ts'

// An Express app in a process of its own. Its one route reads the session or not, by its mode.

/** `check` reads the session too, answers with its user, and notes whether the app had to wait. */
export type Mode = 'without' | 'with' | 'check'

/** The message of the process when it listens. */
export interface Greeting {
  readonly port: number
  readonly headers: readonly string[]
}

const [file = '', sessions = ''] = process.argv.slice(2)
const contestant: Contestant = (await import(`../contestants/${file}.ts`)).default
const headers = await contestant.signIn(people(Number(sessions)))
let mode: Mode = 'without'
let waits = 0

const app = express()
app.get('/account', async (req, res) => {
  if (mode === 'without') return greet(res, 'everybody')
  if (mode === 'check') return greet(res, (await readWithClock(req))?.user?.name)
  greet(res, (await contestant.read(req)) ? 'everybody' : undefined)
})

const server = app.listen(0, '127.0.0.1')
// The connections are idle while other apps are measured.
server.keepAliveTimeout = 0
await once(server, 'listening')
process.on('message', (message: Mode) => {
  mode = message
  process.send?.(waits)
  waits = 0
})
// The app ends with the bench, also when that fails.
process.once('disconnect', () => process.exit())
const { port } = server.address() as AddressInfo
process.send?.({ port, headers } satisfies Greeting)

function greet(res: Response, name: string | null | undefined): void {
  if (!name) res.status(401).end()
  else res.json({ name })
}

/** A read waits that is not through after the promises that already have their values. */
async function readWithClock(req: Request): Promise<Session | null | undefined> {
  let isThrough = false
  const reading = Promise.resolve(contestant.read(req)).finally(() => {
    isThrough = true
  })
  for (let turn = 0; turn < 20; turn++) await undefined
  if (!isThrough) waits++
  return reading
}
