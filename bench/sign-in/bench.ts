import { join } from 'node:path'
import { type Bundle, bundle, bundleBy } from '../bundle.ts'
import type { Server } from '../load/browser.ts'
import { median, processorTime } from '../processor-time.ts'
import { type Runtime, type Started, start } from '../runtime.ts'
import { printColumns } from '../table.ts'
import { byBetterAuth, byOAuth, type Journey, journeys, type Plan, serverAt } from './journeys.ts'
import { ALL_PARTS } from './parts.ts'
import { profile } from './profile.ts'
import { openStandIn, type StandIn } from './provider.ts'

/** Each round is so short that neighbors see the same machine. */
const ROUNDS = 15
/** Not counted: code is compiled. */
const WARM_UP = 4
const SIGN_INS = 100
/** People who sign in at once. */
const LANES = 16

/** A Worker in a workerd of its own, and what its people do. */
interface Site {
  readonly name: string
  readonly runtime: Runtime
  readonly server: Server
  readonly plan: Plan
  readonly rounds: number[]
}

/**
 * Prints the processor time of a sign-in beside the alternatives and beside the least that its calls cost, and where the
 * time in the Worker goes. The provider is in this process, so that it does not count.
 */
export async function benchSignIn(): Promise<void> {
  await using standIn = await openStandIn()
  await printTimes(standIn)
  await printProfiles(standIn)
}

async function printTimes(standIn: StandIn): Promise<void> {
  const [ways, floor] = [await bundle('ways', 'ways.ts'), await bundle('floor', 'floor.ts')]
  await using stack = new AsyncDisposableStack()
  const sites: Site[] = []
  const add = async (
    name: string,
    code: Bundle,
    plan: Plan,
    settings: Started['settings'] = {},
  ) => {
    sites.push(await open(stack, standIn, name, { code, plan, settings }))
  }
  for (const [journey, plan] of Object.entries(journeys))
    await add(`Latchkey, ${journey}`, ways, plan)
  const compatibilityFlags = ['nodejs_compat']
  await add('@hono/auth-js, OAuth', await bundleOf('auth-js'), byOAuth, { compatibilityFlags })
  const d1 = { compatibilityFlags, d1Databases: ['DB'] }
  await add('better-auth, OAuth', await bundleOf('better-auth'), byBetterAuth, d1)
  const steps = {
    'the four requests, with no work': '-',
    '… and the exchange with the provider': 'x',
    '… and a signature': 'xs',
    '… and a call of the ledger that writes a row': 'xsl',
    '… and a write of KV': 'xslk',
  }
  for (const [name, STEPS] of Object.entries(steps)) {
    await add(name, floor, byOAuth, { bindings: { STEPS } })
  }
  let number = 0
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const { runtime, server, plan, rounds } of sites) {
      const work = []
      while (work.length < SIGN_INS) work.push(await plan(server, ++number))
      const began = processorTime(runtime.pid)
      await inLanes(work)
      if (round >= 0) rounds.push((processorTime(runtime.pid) - began) / SIGN_INS)
    }
  }
  const beside = sites.find(({ name }) => name.startsWith('@hono'))?.rounds ?? []
  const ratio = (rounds: readonly number[]) =>
    median(rounds.map((time, at) => time / (beside[at] ?? Number.NaN)))
  const lines = sites.map(({ name, rounds }) => [
    name,
    Math.min(...rounds).toFixed(2),
    median(rounds).toFixed(2),
    ratio(rounds).toFixed(2),
  ])
  console.log('Milliseconds of processor time in workerd.\n')
  printColumns(['', 'least', 'median', 'beside @hono/auth-js'], lines)
}

async function printProfiles(standIn: StandIn): Promise<void> {
  const readable = await bundle('ways', 'ways.ts', 0, false)
  const columns: ReadonlyMap<string, number>[] = []
  for (const plan of Object.values(journeys)) {
    await using stack = new AsyncDisposableStack()
    const site = await open(stack, standIn, 'ways', { code: readable, plan, isInspected: true })
    let number = 0
    const people = async () => {
      const work = []
      while (work.length < SIGN_INS) work.push(await plan(site.server, ++number))
      return work
    }
    for (let round = 0; round < WARM_UP; round++) await inLanes(await people())
    const work = await people()
    const inspector = await site.runtime.inspector()
    const times = await profile(inspector, 'worker', readable.code, () => inLanes(work))
    columns.push(new Map([...times].map(([part, time]) => [part, time / SIGN_INS])))
  }
  const sum = (times: ReadonlyMap<string, number>) => [...times.values()].reduce((a, b) => a + b, 0)
  const share = (part: string) => (times: ReadonlyMap<string, number>) =>
    `${((100 * (times.get(part) ?? 0)) / sum(times)).toFixed(0)} %`
  console.log("\nThe time in the Worker's isolate and the ledger's, which is the same one.\n")
  printColumns(
    ['', ...(Object.keys(journeys) as Journey[])],
    [
      ...ALL_PARTS.map((part) => [part, ...columns.map(share(part))]),
      ['together, ms', ...columns.map((times) => (sum(times) / 1000).toFixed(2))],
    ],
  )
}

interface Opened {
  readonly code: Bundle
  readonly plan: Plan
  readonly settings?: Started['settings']
  readonly isInspected?: boolean
}

async function open(
  stack: AsyncDisposableStack,
  { variables }: StandIn,
  name: string,
  { code, plan, settings = {}, isInspected = false }: Opened,
): Promise<Site> {
  const bindings = { AUTH_URL: 'https://bench.example/auth', ...variables, ...settings.bindings }
  const started = { name: 'worker', bundle: code, settings: { ...settings, bindings } }
  const onLog = () => {}
  const runtime = stack.use(await start([started], { isInspected, onLog }))
  const server = serverAt(name, await runtime.url('worker'))
  stack.defer(() => server.agent.destroy())
  if (settings.d1Databases) await fetch(new URL('/set-up', server.address))
  return { name, runtime, server, plan, rounds: [] }
}

async function inLanes(work: (() => Promise<void>)[]): Promise<void> {
  const lane = async () => {
    for (let next = work.shift(); next; next = work.shift()) await next()
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

function bundleOf(name: string): Promise<Bundle> {
  const source = join(import.meta.dirname, '../load/workers', `${name}.ts`)
  return bundleBy('bench/load/workers/wrangler.toml', name, [source])
}
