import { countAtWork } from '../node/renewal-waits.ts'
import { row } from '../table.ts'
import { AUTH_JS, LATCHKEY, plainApp, sessionNoted } from './app-files.ts'
import { installWorkshop, openWorkshop } from './build.ts'
import { type ClientGrowth, measureClient, measureWorker } from './sizes.ts'
import { measureSpeed, type Speed } from './speed.ts'

/** The SvelteKit that Auth.js supports, and the tools that build its apps. */
const PACKAGES_OF_AUTH_JS = [
  '@auth/sveltekit@1.11.3',
  '@sveltejs/kit@2.70.4',
  '@sveltejs/adapter-node@5.5.7',
  '@sveltejs/vite-plugin-svelte@7.3.1',
  'svelte@5.57.3',
  'vite@8.3.8',
]

/** The cost of the adapter in a SvelteKit app, beside Auth.js. Adds its rows to the table. */
export async function benchSvelteKit(): Promise<void> {
  await using workshop = await openWorkshop()
  console.log('A SvelteKit app with the session on its pages …')
  // Many short rounds, and sessions in rotation, since a real app serves many people.
  const load = { sessions: 10_000, requests: 400, rounds: 61 }
  const speed = await measureSpeed(workshop, LATCHKEY, load)
  console.log('What browsers load of it …')
  const client = await measureClient(workshop, LATCHKEY)
  console.log('The same with Auth.js and Kit 2, which npm installs …')
  const authJs = await measureAuthJs()
  speeds(speed, authJs)
  clients(client, authJs)
  console.log('Its reads that wait for a renewal, over tokens’ lives …')
  const noted = { ...plainApp(LATCHKEY, 'node'), ...sessionNoted }
  const waiting = await countAtWork('clocked-kit', await workshop.build('noted', noted))
  const what = 'reads that wait for a renewal, in SvelteKit: one every 10 s'
  row(what, waiting.text, '', '< 1 in 1,000', waiting.isMet)
  console.log('A SvelteKit app as a Worker …')
  const { forwarded, inProcess } = await measureWorker(workshop)
  row('its Worker grows by, gzip, with the service bound to it', kilobytes(forwarded))
  row('… with the service in process', kilobytes(inProcess))
}

interface Measured {
  readonly speed: Speed
  readonly client: ClientGrowth
}

/** @returns why not, if it could not be installed or run */
async function measureAuthJs(): Promise<Measured | string> {
  try {
    await using workshop = await installWorkshop(PACKAGES_OF_AUTH_JS)
    // It has no cache between requests.
    const load = { sessions: 300, requests: 100, rounds: 31 }
    const speed = await measureSpeed(workshop, AUTH_JS, load)
    return { speed, client: await measureClient(workshop, AUTH_JS) }
  } catch (error) {
    return `left out: ${String(error).split('\n', 1)[0]}`
  }
}

function speeds(mine: Speed, authJs: Measured | string): void {
  const theirs = (text: (speed: Speed) => string) => besides(authJs, ({ speed }) => text(speed))
  const add = (what: string, text: (speed: Speed) => string) => row(what, text(mine), theirs(text))
  const rate = (speed: Speed) => speed.rate.toFixed(2)
  const what = 'a SvelteKit app with it on its pages, requests a second beside the same app without'
  row(what, rate(mine), theirs(rate), '≥ 0.90', mine.rate >= 0.9)
  add('… beside one with as much data', ({ besideSameData }) => besideSameData.rate.toFixed(2))
  add('… processor time a request', ({ cost }) => `${cost.toFixed(2)}×`)
  add(
    '… beside one with as much data',
    ({ besideSameData }) => `${besideSameData.cost.toFixed(2)}×`,
  )
}

function clients(mine: ClientGrowth, authJs: Measured | string): void {
  const add = (what: string, text: (client: ClientGrowth) => string) =>
    row(
      what,
      text(mine),
      besides(authJs, ({ client }) => text(client)),
    )
  add('its browser’s part grows by, gzip, with <SignIn />', ({ component }) => kilobytes(component))
  add('… with the client', (growth) => kilobytes(growth.client))
}

function besides(authJs: Measured | string, text: (measured: Measured) => string): string {
  return `@auth/sveltekit ${typeof authJs === 'string' ? authJs : text(authJs)}`
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
