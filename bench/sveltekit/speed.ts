import type { App } from '../node/loaded-app.ts'
import { measureRequests } from '../node/requests.ts'
import { median } from '../processor-time.ts'
import { constantData, type Library, plainApp, withSessionAtTimes } from './app-files.ts'
import type { Workshop } from './build.ts'

/** An app with the session on every page, beside the same app without any sign-in. */
export interface Speed {
  /** Requests a second. */
  readonly rate: number
  /** Processor time for one request. */
  readonly cost: number
  /** The same two, beside an app with as much data on its pages, which is always the same. */
  readonly besideSameData: { readonly rate: number; readonly cost: number }
}

export async function measureSpeed(
  workshop: Workshop,
  library: Library,
  load: Pick<App, 'sessions' | 'requests' | 'rounds'>,
): Promise<Speed> {
  const app = async (name: string, dataWithout: string): Promise<App> => {
    const changes = withSessionAtTimes(library.inProcess, dataWithout)
    const folder = await workshop.build(name, { ...plainApp(library, 'node'), ...changes })
    return { contestant: name, process: 'kit-app', ...load, args: [library.name, folder] }
  }
  const relations = await measureRequests([
    await app('without', '{}'),
    await app('same-data', constantData()),
  ])
  const medians = (name: string) => {
    const { rates = [], costs = [] } = relations.get(name) ?? {}
    return { rate: median(rates), cost: median(costs) }
  }
  return { ...medians('without'), besideSameData: medians('same-data') }
}
