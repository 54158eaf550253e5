import { start } from '../node/child.ts'
import type { PageCost } from '../node/processes/next-pages.ts'
import { median } from '../processor-time.ts'
import { row } from '../table.ts'
import { BEHIND_PROXY, buildApp, buildExample, SMALL } from './build.ts'

const SESSIONS = 200

/** The cost of the adapter in an app of Next, beside the same app without. Adds its rows to the table. */
export async function benchNext(): Promise<void> {
  console.log('A page of Next that reads the session …')
  const page = await costOf(SMALL)
  const what =
    'a page of Next that reads the session, processor time more than the same page without'
  row(
    what,
    milliseconds(page.added),
    `the page: ${milliseconds(page.without)}`,
    '< 0.2 ms',
    page.added < 200,
  )
  const proxied = await costOf(BEHIND_PROXY)
  const beside = `a page and a proxy that does nothing: ${milliseconds(proxied.without)}`
  row('… behind the proxy', milliseconds(proxied.added), beside)

  console.log('The example of Next, built with and without sign-in …')
  const seconds = async (isWithSignIn: boolean) => {
    await using built = await buildExample(isWithSignIn)
    return built.seconds
  }
  // The first build warms the file cache up.
  await seconds(false)
  const times = { without: [] as number[], with: [] as number[] }
  for (let round = 0; round < 2; round++) {
    times.with.push(await seconds(true))
    times.without.push(await seconds(false))
  }
  const [longer, shorter] = [median(times.with), median(times.without)]
  row(
    '`next build` of the example, seconds',
    longer.toFixed(1),
    `without sign-in ${shorter.toFixed(1)}`,
    '≤ 15 s longer',
    longer - shorter <= 15,
  )
}

async function costOf(files: Parameters<typeof buildApp>[0]): Promise<PageCost> {
  await using built = await buildApp(files)
  await using child = await start('next-pages', 'page', String(SESSIONS), built.folder)
  // Warm up until the code is compiled.
  await child.ask(500)
  return (await child.ask(2_000)) as PageCost
}

const milliseconds = (microseconds: number) => `${(microseconds / 1_000).toFixed(2)} ms`
