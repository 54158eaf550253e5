import { replicasOf } from '@latchkey/worker/stores/collected-revocations'
import { MEMBERS } from '@latchkey/worker/stores/ledger/collector'
import { type Layout, placesOf } from '@latchkey/worker/stores/ledger/placement'

/** A deployment, and its users. */
export interface Size {
  readonly name: string
  readonly signIns: number
  readonly sessions: number
  /** Sessions that are in use at the same moment: the visits of a second, each as long as `habits` says. */
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
  /** A session that is used again is extended, if it lasts for more than a day. */
  readonly isExtended: boolean
  /** One person of so many is simulated, with as many objects fewer: each has its true load. */
  readonly people: number
}

const DAY = 24 * 60 * 60

/** How people behave, at every size. Times are seconds. */
export const habits = {
  /** Between two reads of a session in use. Half of the sessions are read by the Worker, half by apps. */
  betweenReads: 5,
  /** A session is in use for this long; then another one is. */
  visit: 2_600,
  /** Every second session is ended by a sign-out. */
  signOuts: 0.5,
  /** One sign-out of so many is one everywhere, of so many sessions more. */
  everywhere: 200,
  othersEnded: 2,
}

/** Sessions that are in use at each server of an app. */
const AT_AN_APP = 1_000

/** @param visits that begin in a second: a sign-in begins one, and so does a session that is used again */
function inUseOf(visits: number): Pick<Size, 'inUse' | 'apps'> {
  const inUse = visits * habits.visit
  return { inUse, apps: Math.round(inUse / 2 / AT_AN_APP) }
}

/** A session that lasts for weeks is used about every third day. Seconds. */
const USE_INTERVAL = 3 * DAY

export const sizes: readonly Size[] = [
  {
    name: '1 sign-in a second, 1 million sessions',
    signIns: 1,
    sessions: 1e6,
    ...inUseOf(1e6 / USE_INTERVAL),
    isolates: 50,
    locations: 10,
    layout: { count: 1, regions: [] },
    maxAge: 30 * DAY,
    isExtended: true,
    people: 1,
  },
  {
    name: '100 sign-ins a second, 100 million sessions',
    signIns: 100,
    sessions: 1e8,
    ...inUseOf(1e8 / USE_INTERVAL),
    isolates: 1_000,
    locations: 100,
    layout: { count: 16, regions: [] },
    maxAge: 30 * DAY,
    isExtended: true,
    people: 16,
  },
  {
    name: '10,000 sign-ins a second, 100 million sessions',
    signIns: 1e4,
    sessions: 1e8,
    ...inUseOf(1e4),
    isolates: 3_000,
    locations: 150,
    layout: { count: 128, regions: ['wnam', 'enam', 'weur', 'apac'] },
    maxAge: DAY / 8,
    isExtended: false,
    people: 128,
  },
  {
    name: '100,000 sign-ins a second, 1 billion sessions',
    signIns: 1e5,
    sessions: 1e9,
    ...inUseOf(1e5),
    isolates: 30_000,
    locations: 300,
    layout: { count: 512, regions: ['wnam', 'enam', 'weur', 'apac'] },
    maxAge: DAY / 8,
    isExtended: false,
    people: 512,
  },
]

/** How many objects there are, and in how many groups, each with collectors of its own. */
export function objectsOf({ layout }: Pick<Size, 'layout'>) {
  const objects = placesOf(layout).length
  const groups = objects === 1 ? 0 : Math.ceil(objects / MEMBERS)
  // Every isolate is near one of the regions, if there are any.
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
