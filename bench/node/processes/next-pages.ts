import { once } from 'node:events'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import next from 'next'
import { median } from '../../processor-time.ts'
import { people, SECRET } from '../contestant.ts'
import { ISSUER, signInWithTokens } from '../tokens.ts'

// An app of Next as `next build` has made it, in a process of its own. It asks itself for a page that reads the session
// or does not, in turn, and reports the processor time of each.

/** Microseconds of processor time for one request, with what asks for it: medians. */
export interface PageCost {
  readonly without: number
  /** What reading the session adds, between neighbors. */
  readonly added: number
}

const [, sessions = '', dir = ''] = process.argv.slice(2)
Object.assign(process.env, { AUTH_SECRET: SECRET, AUTH_URL: ISSUER })
const everybody = people(Number(sessions))
const cookies = await signInWithTokens(everybody)
// Its types have the function one level deeper than Node does.
const createApp = next as unknown as typeof next.default
const app = createApp({ dev: false, dir, quiet: true })
await app.prepare()
const answer = app.getRequestHandler()
const server = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let position = 0

for (const isWithSession of [true, false]) {
  for (const { name } of everybody) {
    const { text } = await ask(isWithSession)
    if (text.includes(name) !== isWithSession) throw new Error(`Not the page of ${name}: ${text}`)
  }
}
process.on('message', async (pairs: number) => {
  process.send?.(await measure(pairs))
})
// The app ends with the bench, also when that fails.
process.once('disconnect', () => process.exit())
process.send?.('ready')

async function measure(pairs: number): Promise<PageCost> {
  const costs: { readonly with: number; readonly without: number }[] = []
  for (let pair = 0; pair < pairs; pair++) {
    // The order alternates, so that neither always comes second.
    const first = pair % 2 ? await ask(true) : undefined
    const without = await ask(false)
    costs.push({ with: (first ?? (await ask(true))).cost, without: without.cost })
  }
  return {
    without: median(costs.map(({ without }) => without)),
    added: median(costs.map((cost) => cost.with - cost.without)),
  }
}

/** One request, for the next person in turn. */
function ask(isWithSession: boolean): Promise<{ readonly text: string; readonly cost: number }> {
  Object.assign(globalThis, { isWithoutSession: !isWithSession })
  const headers = {
    host: 'localhost:3000',
    accept: 'text/html',
    cookie: cookies[position++ % cookies.length] ?? '',
  }
  const before = process.cpuUsage()
  return new Promise((resolve, reject) => {
    get({ port, path: '/account', agent, headers }, async (response) => {
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part)
      const { user, system } = process.cpuUsage(before)
      resolve({ text: Buffer.concat(parts).toString(), cost: user + system })
    }).on('error', reject)
  })
}
