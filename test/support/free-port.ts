import { randomInt } from 'node:crypto'
import { isPortBusy } from '../../scripts/ports.ts'

/** Test files run beside each other, each in a lane, and every lane has ports of its own. */
const lanes = 16
const lane = Number(process.env.VITEST_POOL_ID ?? 0) % lanes
const handedOut = new Set<number>()

/**
 * A free TCP port of this machine that no other test gets. It is outside the range from which
 * systems assign ports: no outgoing connection takes it before the caller does. From 11,008:
 * browsers refuse some below.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lanes * randomInt(688, 2_000) + lane
    if (handedOut.has(port) || (await isPortBusy(port))) continue
    handedOut.add(port)
    return port
  }
}
