import { printColumns } from '../table.ts'
import type { Route } from './browser.ts'
import type { Measured, Site } from './site.ts'

const ROUTES: readonly Route[] = ['csrf token', 'start', 'callback', 'read', 'renewal', 'sign-out']

/** A column for each service. */
export function printLoad(
  sites: readonly Site[],
  { people, rate }: { readonly people: number; readonly rate: number },
): void {
  const lines: string[][] = []
  const row = (what: string, cell: (site: Site) => string) => {
    lines.push([what, ...sites.map(cell)])
  }
  const perRequest = ({ ran, times }: Measured) => ran / requestsOf(times)

  row('sign-ins a second, all at the same moment', ({ parts: { arrival } }) =>
    whole(people / arrival.seconds),
  )
  row(`requests a second, ${people} people`, ({ parts: { rush } }) =>
    whole(requestsOf(rush.times) / rush.seconds),
  )
  row('… in a second of processor time', ({ parts: { rush } }) => whole(1000 / perRequest(rush)))
  row('processor time of a sign-in, ms', ({ parts: { arrival } }) =>
    (arrival.ran / people).toFixed(2),
  )
  row('… of a step, on average', ({ parts: { rush } }) => (rush.ran / rush.steps).toFixed(2))
  row('share of its wanted processor time that workerd got', ({ parts: { rush } }) =>
    percent(rush.ran / (rush.ran + rush.waited)),
  )
  row('memory, MB: at the start · at most · at the end', ({ memory: { start, peak, end } }) =>
    [start, peak, end].map((bytes) => whole(bytes / 1e6)).join(' · '),
  )
  for (const route of ROUTES) {
    row(`${route}, ms`, ({ service, parts }) => times(parts.rush.times.get(route), service, route))
  }
  for (const route of ROUTES) {
    row(`${route} at ${rate} steps a second, ms`, ({ service, parts }) =>
      times(parts.stroll.times.get(route), service, route),
    )
  }
  row('steps, among them sign-ins · sign-outs', ({ done: { steps, signIns, signOuts } }) =>
    [steps, signIns, signOuts].join(' · '),
  )
  row(
    'let in with the cookies from before',
    ({ done: { letIn, signOuts } }) => `${letIn} of ${signOuts}`,
  )
  row('wrong answers', () => '0')
  console.log('Median · 99th percentile · slowest.\n')
  printColumns(['', ...sites.map(({ service }) => service.name)], lines)
}

function requestsOf(times: Measured['times']): number {
  return [...times.values()].reduce((sum, { length }) => sum + length, 0)
}

function times(
  found: readonly number[] | undefined,
  { without }: Site['service'],
  route: Route,
): string {
  if (!found) return without[route] ?? 'none'
  const sorted = [...found].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN
  return [at(0.5), at(0.99), at(1)].map(milliseconds).join(' · ')
}

function milliseconds(time: number): string {
  return time.toFixed(time < 10 ? 1 : 0)
}

function whole(value: number): string {
  return value.toFixed(0)
}

function percent(part: number): string {
  return Number.isNaN(part) ? 'unknown' : `${whole(part * 100)} %`
}
