import { Agent, get } from 'node:http'
import type { Bundle } from './bundle.ts'
import type { Cookie } from './cookies.ts'
import type { Drive, Inspection } from './driver.ts'
import { median, processorTime } from './processor-time.ts'
import { type Runtime, start } from './runtime.ts'

/** A Worker that answers GET /auth/session, and the cookie of a signed-in user. */
export interface Contestant {
  readonly bundle: Bundle
  cookieOf(origin: string): Promise<Cookie | undefined>
}

/** The cost of one request. */
export interface Cost {
  /** Microseconds of workerd's processor time; the median of all rounds. */
  readonly processor: number
  /** One for each round. */
  readonly rounds: readonly number[]
  readonly requestsPerSecond: number
}

const ROUNDS = 11
/** Requests at once over HTTP. */
const CONCURRENCY = 16

/**
 * Real HTTP requests to a real workerd. The contestants take turns, so that a busy moment of the
 * machine hits all, and only workerd's own processor time counts.
 */
export async function measureOverHttp(
  contestants: readonly Contestant[],
  requests: number,
): Promise<ReadonlyMap<string, Cost>> {
  await using runtime = await startAll(contestants, false)
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY })
  const plans = await Promise.all(
    contestants.map(async ({ bundle, cookieOf }) => {
      const url = await runtime.url(bundle.name)
      const cookie = header(await cookieOf('http://example.com'))
      const one = () => request(agent, url, { host: 'example.com', cookie })
      return { name: bundle.name, run: (count: number) => atOnce(CONCURRENCY, count, one) }
    }),
  )
  try {
    return await takeTurns(runtime, plans, requests)
  } finally {
    agent.destroy()
  }
}

/** The handler alone: called in a loop inside its isolate, without HTTP around it. */
export async function measureInIsolate(
  contestants: readonly Contestant[],
  calls: number,
): Promise<ReadonlyMap<string, Cost>> {
  await using runtime = await startAll(contestants, true)
  const plans = await Promise.all(
    contestants.map(async (contestant) => {
      const drive = await driver(runtime, contestant)
      return {
        name: contestant.bundle.name,
        run: async (count: number) => void (await drive(count)),
      }
    }),
  )
  // Awaited here, since the runtime ends with this block.
  return await takeTurns(runtime, plans, calls)
}

/** Resources that many reads of each contestant's session use, beside processor time. */
export async function inspect(
  contestants: readonly Contestant[],
  reads: number,
): Promise<ReadonlyMap<string, Inspection>> {
  await using runtime = await startAll(contestants, true)
  const found = contestants.map(async (contestant) => {
    const drive = await driver(runtime, contestant)
    const answer = await drive(reads, true)
    return [contestant.bundle.name, (await answer.json()) as Inspection] as const
  })
  return new Map(await Promise.all(found))
}

function startAll(contestants: readonly Contestant[], driven: boolean): Promise<Runtime> {
  return start(
    contestants.map(({ bundle }) => ({ name: bundle.name, bundle })),
    { driven },
  )
}

async function driver(runtime: Runtime, { bundle, cookieOf }: Contestant) {
  const address = await runtime.url(bundle.name)
  const origin = 'https://example.com'
  const cookie = header(await cookieOf(origin))
  return async (repeat: number, inspect = false): Promise<Response> => {
    const asked: Drive = { url: `${origin}/auth/session`, cookie, repeat, inspect }
    const init = { method: 'POST', body: JSON.stringify(asked) }
    const answer = await fetch(address, init)
    if (!answer.ok) throw new Error(`${bundle.name}: ${await answer.text()}`)
    return answer
  }
}

interface Plan {
  readonly name: string
  readonly run: (count: number) => Promise<void>
}

async function takeTurns(
  { pid }: Runtime,
  plans: readonly Plan[],
  count: number,
): Promise<ReadonlyMap<string, Cost>> {
  for (const { run } of plans) await run(count)
  const costs = new Map(
    plans.map(({ name }) => [name, { rounds: [] as number[], seconds: [] as number[] }]),
  )
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, run } of plans) {
      const [processor, clock] = [processorTime(pid), performance.now()]
      await run(count)
      costs.get(name)?.rounds.push(((processorTime(pid) - processor) * 1000) / count)
      costs.get(name)?.seconds.push((performance.now() - clock) / 1000)
    }
  }
  const entries = [...costs].map(([name, { rounds, seconds }]) => {
    const requestsPerSecond = count / median(seconds)
    return [name, { processor: median(rounds), rounds, requestsPerSecond }] as const
  })
  return new Map(entries)
}

async function atOnce(workers: number, count: number, one: () => Promise<void>): Promise<void> {
  let left = count
  const work = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: workers }, work))
}

function request(agent: Agent, url: URL, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { agent, headers, path: '/auth/session' }
    get(url, options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`Status ${response.statusCode}`))
      response.on('error', reject).on('end', resolve).resume()
    }).on('error', reject)
  })
}

function header(cookie: Cookie | undefined): string {
  return cookie ? `${cookie.name}=${cookie.value}` : ''
}
