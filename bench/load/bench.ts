import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Bundle, bundle, bundleBy } from '../bundle.ts'
import { printLoad } from './report.ts'
import { openSandbox } from './sandbox.ts'
import { authJs, bare, betterAuth, latchkey } from './services.ts'
import { type Contestant, Site } from './site.ts'

/** Steps a second of all people, if no person waits for others. */
const CALM = 50
/** The services take turns, so that a busy moment of the machine hits all. */
const TURNS = 4

/**
 * Drives the Worker, and the services beside it, by thousands of people at once.
 *
 * @param args `--seconds 60`, for each service; `--people 2000`
 * @throws {Error} on the first answer that is not as it should be
 */
export async function benchLoad(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '60' },
      people: { type: 'string', default: '2000' },
    },
  })
  const [seconds, count] = [wholeNumber(values.seconds), wholeNumber(values.people)]
  const people = Array.from({ length: count }, (_, number) => ({
    id: String(number),
    name: `Person ${number}`,
  }))
  console.log('Bundling with wrangler …')
  await using sandbox = await openSandbox(await bundleOf('sandbox'), count)
  await using stack = new AsyncDisposableStack()
  const sites: Site[] = []
  for (const contestant of await contestants()) {
    sites.push(stack.use(await Site.open(contestant, sandbox, people)))
  }
  console.log(`${count} people sign in at the same moment …`)
  for (const site of sites) await site.arrive()
  console.log(`They do one thing after the other, ${seconds} seconds at each service …`)
  for (let turn = 0; turn < TURNS; turn++) {
    for (const site of sites) await site.rush(seconds / TURNS)
  }
  console.log(`They do ${CALM} things a second …`)
  for (const site of sites) await site.stroll(seconds / 2, CALM)
  printLoad(sites, { people: count, rate: CALM })
}

async function contestants(): Promise<readonly Contestant[]> {
  const compatibilityFlags = ['nodejs_compat']
  return [
    {
      service: latchkey,
      bundle: await bundle('latchkey'),
      settings: {
        ratelimits: { RATE_LIMIT: { namespace_id: '1', simple: { limit: 30, period: 60 } } },
      },
    },
    { service: authJs, bundle: await bundleOf('auth-js'), settings: { compatibilityFlags } },
    {
      service: betterAuth,
      bundle: await bundleOf('better-auth'),
      settings: { compatibilityFlags, d1Databases: ['DB'] },
      setUp: '/set-up',
    },
    { service: bare, bundle: await bundleOf('bare') },
  ]
}

function bundleOf(name: string): Promise<Bundle> {
  const source = join(import.meta.dirname, 'workers', `${name}.ts`)
  return bundleBy('bench/load/workers/wrangler.toml', name, [source])
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`${text} is not a whole number.`)
  return number
}
