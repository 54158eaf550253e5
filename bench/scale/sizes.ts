import { replicasOf } from '@latchkey/worker/stores/collected-endings'
import { MEMBERS } from '@latchkey/worker/stores/ledger/collector'
import { type Layout, placesOf } from '@latchkey/worker/stores/ledger/placement'

/** A deployment, and the people who use it. */
export interface Size {
  readonly name: string
  readonly signIns: number
  readonly sessions: number
  /** Sessions that are in use at the same moment. */
  readonly inUse: number
  readonly isolates: number
  /** Locations with isolates. */
  readonly locations: number
  /** `AUTH_LEDGER_SHARDS`. */
  readonly layout: Layout
  /** Servers of apps: a thousand sessions are in use at each. */
  readonly apps: number
  /** `session.maxAge`, in seconds. */
  readonly maxAge: number
  /** A session that is used again is extended, where it lasts for more than a day. */
  readonly isExtended: boolean
  /** One person of so many is simulated, with as many objects fewer: each has its true load. */
  readonly people: number
}

const DAY = 24 * 60 * 60

export const sizes: readonly Size[] = [
  {
    name: '1 sign-in a second, 1 million sessions',
    signIns: 1,
    sessions: 1e6,
    inUse: 1e4,
    isolates: 50,
    locations: 10,
    layout: { count: 1, regions: [] },
    apps: 5,
    maxAge: 30 * DAY,
    isExtended: true,
    people: 1,
  },
  {
    name: '100 sign-ins a second, 100 million sessions',
    signIns: 100,
    sessions: 1e8,
    inUse: 1e6,
    isolates: 1_000,
    locations: 100,
    layout: { count: 16, regions: [] },
    apps: 500,
    maxAge: 30 * DAY,
    isExtended: true,
    people: 16,
  },
  {
    name: '10,000 sign-ins a second, 100 million sessions',
    signIns: 1e4,
    sessions: 1e8,
    inUse: 1e6,
    isolates: 3_000,
    locations: 150,
    layout: { count: 64, regions: ['wnam', 'enam', 'weur', 'apac'] },
    apps: 500,
    maxAge: DAY / 8,
    isExtended: false,
    people: 64,
  },
  {
    name: '100,000 sign-ins a second, 1 billion sessions',
    signIns: 1e5,
    sessions: 1e9,
    inUse: 1e7,
    isolates: 30_000,
    locations: 300,
    layout: { count: 512, regions: ['wnam', 'enam', 'weur', 'apac'] },
    apps: 5_000,
    maxAge: DAY / 8,
    isExtended: false,
    people: 512,
  },
]

/** How many objects there are, and in how many groups, each with collectors of its own. */
export function objectsOf({ layout }: Pick<Size, 'layout'>) {
  const objects = placesOf(layout).length
  const groups = objects === 1 ? 0 : Math.ceil(objects / MEMBERS)
  // Every isolate is near one of the regions, where there are any.
  const sets = Math.max(1, layout.regions.length)
  const replicas = groups === 0 ? 0 : replicasOf(groups, layout.regions.length) * sets
  return { objects, groups, replicas }
}

/**
 * The size as it was before there were collectors: 64 objects at most, in one place, of which every one
 * has every cut-off.
 */
export function asBefore(size: Size): Size {
  const count = Math.min(64, size.layout.count)
  return { ...size, layout: { count, regions: [] }, people: Math.min(size.people, count) }
}

/** The life of a token: `session.tokenMaxAge`, in seconds. */
export const TOKEN_MAX_AGE = 300

/** How people behave, at every size. Times are seconds. */
export const habits = {
  /** Between two reads of a session in use. Half of the sessions are read by the Worker, half by apps. */
  betweenReads: 5,
  /** For so long a session is in use; then another one is. */
  visit: 2_600,
  /** Every second session is ended by a sign-out. */
  signOuts: 0.5,
  /** One sign-out of so many is one everywhere, of so many sessions more. */
  everywhere: 200,
  othersEnded: 2,
}
