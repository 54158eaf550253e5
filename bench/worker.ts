import { type Bundle, bundle } from './bundle.ts'
import { authJsCookie, latchkeyCookie, smallestCookie } from './cookies.ts'
import { median } from './processor-time.ts'
import { SECRET } from './runtime.ts'
import {
  type Contestant,
  type Cost,
  inspect,
  measureInIsolate,
  measureOverHttp,
} from './session-route.ts'
import { measureSignIns } from './sign-ins.ts'
import { measureStartUp } from './start-up.ts'
import { row } from './table.ts'

/** The service beside the alternatives, in workerd. Adds its rows to the table. */
export async function benchWorker(): Promise<void> {
  console.log('Bundling with wrangler, and `wrangler check startup` …')
  const bundles = {
    ours: await bundle('latchkey', undefined, 5),
    authJs: await bundle('auth-js', 'auth-js.ts', 5),
    bare: await bundle('bare', 'bare.ts'),
    jose: await bundle('jose', 'jose.ts'),
    empty: await bundle('empty', 'empty.ts'),
  }
  const contestants: Contestant[] = [
    { bundle: bundles.bare, cookieOf: async () => undefined },
    { bundle: bundles.ours, cookieOf: (origin) => latchkeyCookie(origin, SECRET) },
    { bundle: bundles.jose, cookieOf: (origin) => latchkeyCookie(origin, SECRET) },
    { bundle: bundles.authJs, cookieOf: (origin) => authJsCookie(origin, SECRET) },
  ]
  console.log('GET /auth/session over HTTP …')
  compareCosts('GET /auth/session over HTTP', await measureOverHttp(contestants, 1_500), true)
  console.log('GET /auth/session, the handler alone …')
  const alone = await measureInIsolate(contestants, 1_500)
  compareCosts('the handler alone, in a loop', alone, false)
  await readCosts(contestants)
  await signInCosts()
  sizes(bundles)
  console.log('Start-up of isolates …')
  await startUp(bundles)
  await cookies()
}

type Bundles = Readonly<Record<'ours' | 'authJs' | 'bare' | 'jose' | 'empty', Bundle>>

function compareCosts(what: string, costs: ReadonlyMap<string, Cost>, isTarget: boolean): void {
  const of = (name: string) =>
    costs.get(name) ?? { processor: NaN, rounds: [], requestsPerSecond: 0 }
  // Compared round by round: neighboring rounds saw the same load on the machine.
  const against = (name: string, base: string) =>
    median(of(name).rounds.map((cost, round) => (of(base).rounds[round] ?? NaN) / cost))
  const speed = (name: string) => against(name, 'bare').toFixed(2)
  const toBare = against('latchkey', 'bare')
  const toAuthJs = against('latchkey', 'auth-js')
  const others = `bare Hono 1.00, a verify with jose ${speed('jose')}, @hono/auth-js ${speed('auth-js')}`
  const least = isTarget ? '≥ 0.80' : ''
  row(`${what}, speed`, toBare.toFixed(2), others, least, isTarget ? toBare >= 0.8 : undefined)
  row(
    '… against @hono/auth-js',
    `${toAuthJs.toFixed(1)}×`,
    '1.0×',
    isTarget ? '≥ 4×' : '',
    isTarget ? toAuthJs >= 4 : undefined,
  )
  const processor = (name: string) => `${of(name).processor.toFixed(0)} µs`
  row(
    '… processor time a request',
    processor('latchkey'),
    `bare ${processor('bare')}, jose ${processor('jose')}, @hono/auth-js ${processor('auth-js')}`,
  )
  if (!isTarget) return
  const rate = (name: string) => of(name).requestsPerSecond.toFixed(0)
  row(
    '… requests a second here',
    rate('latchkey'),
    `bare ${rate('bare')}, jose ${rate('jose')}, @hono/auth-js ${rate('auth-js')}`,
  )
}

async function readCosts(contestants: readonly Contestant[]): Promise<void> {
  const reads = 1_000
  const found = await inspect(contestants, reads)
  for (const [name, { body }] of found) {
    if (!body.includes('Ada Lovelace')) throw new Error(`${name} answered ${body}`)
  }
  const [mine, theirs] = [found.get('latchkey'), found.get('auth-js')]
  if (!mine || !theirs) return
  const { kv, ledger, setCookies } = mine
  row('KV operations of 1,000 reads', String(kv), '', '0', kv === 0)
  const cookies = `@hono/auth-js ${theirs.setCookies}`
  row('Set-Cookie of 1,000 reads', String(setCookies), cookies, '0', setCookies === 0)
  row('ledger calls of 1,000 reads', String(ledger), '')
}

async function signInCosts(): Promise<void> {
  const uses = await measureSignIns(await bundle('sign-ins', 'sign-ins.ts'))
  const names = {
    OAuth: 'a sign-in by OAuth',
    mail: '… a request for a mail',
    link: '… a sign-in by its link',
    code: '… a sign-in by its code',
    password: 'a sign-in by a password',
    passkey: 'a sign-in by a passkey',
  }
  for (const [step, { ledgerCalls, rowsWritten, kvWrites }] of uses) {
    const counts = [ledgerCalls, rowsWritten, kvWrites].join(', ')
    row(`${names[step]}: ledger calls, rows, KV writes`, counts)
  }
}

function sizes({ ours, authJs, bare }: Bundles): void {
  const size = ({ gzip }: Bundle) => `${(gzip / 1000).toFixed(1)} kB`
  const others = `@hono/auth-js with one provider ${size(authJs)}, bare Hono ${size(bare)}`
  row('bundle, gzip', size(ours), others, '≤ 55 kB', ours.gzip <= 55_000)
}

async function startUp({ ours, authJs, bare, empty }: Bundles): Promise<void> {
  const times = await measureStartUp([ours, authJs, bare], empty)
  const time = (one: Bundle) => times.get(one) ?? NaN
  const text = (milliseconds: number) => `${milliseconds.toFixed(1)} ms`
  const others = `@hono/auth-js ${text(time(authJs))}, bare Hono ${text(time(bare))}`
  const met = time(ours) <= time(authJs) / 2
  row(
    'start-up of an isolate, above an empty one',
    text(time(ours)),
    others,
    '≤ half of auth-js',
    met,
  )
  const profiled = ({ startup }: Bundle) => text(median(startup))
  row(
    '… `wrangler check startup` (1 ms samples)',
    profiled(ours),
    `@hono/auth-js ${profiled(authJs)}`,
  )
}

async function cookies(): Promise<void> {
  const origin = 'https://example.com'
  const mine = await latchkeyCookie(origin, SECRET)
  const theirs = await authJsCookie(origin, SECRET)
  const size = mine.value.length
  const others = `@hono/auth-js ${theirs.value.length} B; the contract's claims allow ${smallestCookie(mine)} B at least`
  row('session cookie', `${size} B`, others, '≤ 600 B', size <= 600)
}
