import { type App, type LoadedApp, type Round, startApp } from './loaded-app.ts'

/** The app that reads the session beside the same app that does not; one of each for each round. */
export interface Relation {
  /** Requests a second. */
  readonly rates: readonly number[]
  /** Processor time for one request. */
  readonly costs: readonly number[]
}

/** The apps take turns, each with and without the session. */
export async function measureRequests(
  apps: readonly App[],
): Promise<ReadonlyMap<string, Relation>> {
  await using open = new AsyncDisposableStack()
  const running: { app: App; loaded: LoadedApp; pairs: Pair[] }[] = []
  for (const app of apps) {
    const loaded = await startApp(app, open)
    // Warm up until the code is compiled.
    await loaded.send('without', app.sessions)
    await loaded.send('with', app.sessions)
    running.push({ app, loaded, pairs: [] })
  }
  for (let turn = 0; turn < Math.max(...apps.map(({ rounds }) => rounds)); turn++) {
    for (const { app, loaded, pairs } of running) {
      if (turn < app.rounds) pairs.push(await pair(app, loaded, turn % 2 > 0))
    }
  }
  return new Map(running.map(({ app, pairs }) => [app.contestant, relation(pairs)]))
}

interface Pair {
  readonly with: Round
  readonly without: Round
}

/** The order alternates, so that neither app always comes second. */
async function pair({ requests }: App, loaded: LoadedApp, isWithFirst: boolean): Promise<Pair> {
  const first = isWithFirst ? await loaded.send('with', requests) : undefined
  const without = await loaded.send('without', requests)
  return { with: first ?? (await loaded.send('with', requests)), without }
}

function relation(pairs: readonly Pair[]): Relation {
  return {
    rates: pairs.map((pair) => pair.without.seconds / pair.with.seconds),
    costs: pairs.map((pair) => pair.with.cost / pair.without.cost),
  }
}

/** How many of the requests within that many seconds had to wait for their session. */
export async function countWaits(
  app: App,
  seconds: number,
): Promise<{ readonly waits: number; readonly requests: number }> {
  await using open = new AsyncDisposableStack()
  const loaded = await startApp(app, open)
  const end = performance.now() + seconds * 1000
  let requests = 0
  for (; performance.now() < end; requests += app.requests) {
    await loaded.send('check', app.requests)
  }
  return { waits: await loaded.waits(), requests }
}
