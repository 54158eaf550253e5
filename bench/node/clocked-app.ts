import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Session } from './contestant.ts'
import { stopClock, WAITED } from './stopped-clock.ts'
import { ISSUER } from './tokens.ts'

// An app in a process of its own, which has its sessions renewed by the service of the
// first argument, and with a clock that stands until a message moves it.

Object.assign(process.env, { AUTH_URL: ISSUER, AUTH_WORKER_URL: process.argv[2] })
const clock = stopClock()
/** One request at a time. */
let answer: ServerResponse | undefined
/** The work for which the app waits and which no clock decides. */
const underWay = new Set<Promise<unknown>>()
const platform = { fetch: globalThis.fetch, verify: crypto.subtle.verify.bind(crypto.subtle) }
globalThis.fetch = (...request) => counted(wholeAnswer(...request))
crypto.subtle.verify = (...signed: Parameters<typeof platform.verify>) =>
  counted(platform.verify(...signed))

type Found = Session | null | undefined

/** Reads the session, and notes on the answer whether that took more than values that were there. */
export async function noted(read: () => Found | Promise<Found>): Promise<Found> {
  let isThrough = false
  const reading = Promise.resolve(read()).finally(() => {
    isThrough = true
  })
  for (let turn = 0; turn < 20; turn++) await undefined
  if (!isThrough) answer?.setHeader(WAITED, '1')
  return reading
}

/** Resolves when no call to the service is under way, and all its answers are read. */
async function calm(): Promise<void> {
  do {
    await Promise.allSettled(underWay)
    await new Promise((resolve) => setImmediate(resolve))
  } while (underWay.size > 0)
}

function counted<Result>(work: Promise<Result>): Promise<Result> {
  underWay.add(work)
  return work.finally(() => underWay.delete(work))
}

async function wholeAnswer(...request: Parameters<typeof fetch>): Promise<Response> {
  const answer = await platform.fetch(...request)
  return new Response(await answer.arrayBuffer(), answer)
}

/**
 * Serves the app until the bench ends, and sends its port. Each message is a time, in milliseconds since the
 * epoch, and is answered when the app is there and waits for nothing.
 */
export async function serve(app: RequestListener): Promise<void> {
  const server = createServer((req, res) => {
    answer = res
    app(req, res)
  }).listen(0, '127.0.0.1')
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  process.on('message', async (time: number) => {
    await calm()
    clock.moveTo(time)
    await calm()
    process.send?.(time)
  })
  // The app ends with the bench, also when that fails.
  process.once('disconnect', () => process.exit())
  process.send?.((server.address() as AddressInfo).port)
}
