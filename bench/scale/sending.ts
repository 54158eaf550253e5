import { SENDS_A_MEGABYTE } from './extent.js'
import type { Figures } from './simulate.js'
import { objectsOf, type Size } from './sizes.js'

/** Collectors, or the one object that isolates ask itself. */
function senders(size: Size): number {
  const { groups, replicas } = objectsOf(size)
  return Math.max(1, groups * replicas)
}

/** Bytes a second that each collector sends to isolates. */
export function bytesSent({ isolateBytes }: Figures, size: Size): number {
  return (isolateBytes * size.isolates) / senders(size)
}

/** The part of its time that this takes each. */
export function sending(figures: Figures, size: Size): number {
  return secondsFor(bytesSent(figures, size))
}

/**
 * Seconds until every isolate knows the recent endings, if all start at once, as after a deploy:
 * collectors go on to send endings meanwhile.
 */
export function allStart(figures: Figures, size: Size): number {
  const left = 1 - sending(figures, size)
  const bytes = (figures.firstLook * size.isolates) / senders(size)
  return left > 0 ? secondsFor(bytes) / left : Number.POSITIVE_INFINITY
}

function secondsFor(bytes: number): number {
  return ((bytes / 1e6) * SENDS_A_MEGABYTE) / 1_000
}
