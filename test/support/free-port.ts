import { randomInt } from 'node:crypto'
import { isPortBusy } from '../../scripts/ports.ts'

/** Test files run beside each other, each in a lane, and every lane has ports of its own. */
const lanes = 16
const lane = Number(process.env.VITEST_POOL_ID ?? 0) % lanes
const handedOut = new Set<number>()

/**
 * A TCP port of this machine that nobody listens on now, and that no other test is given. It is none of
 * those that systems hand out by themselves: no connection takes it before the one who asked for it
 * does. From 11,008: browsers refuse some below.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lanes * randomInt(688, 2_000) + lane
    if (handedOut.has(port) || (await isPortBusy(port))) continue
    handedOut.add(port)
    return port
  }
}
