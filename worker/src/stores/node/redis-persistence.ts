import type { StoreWarning } from '../ports.js'
import type { RedisClient } from '../redis.js'
import { faultOf } from './driver.js'

/**
 * A server that forgets rows if it has no room would bring ended sessions back.
 *
 * @throws {Error} naming what to change
 */
export async function checkMemory(client: RedisClient, key: string): Promise<void> {
  let said = ''
  try {
    // The first command: it fails if Redis cannot be reached.
    await client.get(key)
    said = (await client.info?.('memory').catch(() => '')) ?? ''
  } catch (error) {
    throw faultOf('Redis', error)
  }
  const isBounded = /^maxmemory:[1-9]/m.test(said)
  const [, policy] = /^maxmemory_policy:(allkeys-\w+)/m.exec(said) ?? []
  if (isBounded && policy) {
    throw new Error(
      `Redis forgets keys where it has no room, and so ended sessions would come back: set its maxmemory-policy to noeviction instead of ${policy}.`,
    )
  }
}

/**
 * Redis that keeps everything in memory alone forgets the endings, and the owners of accounts, at
 * its next start.
 */
export async function warningsOf(client: RedisClient): Promise<readonly StoreWarning[]> {
  const said = (await client.info?.('persistence').catch(() => '')) ?? ''
  if (!/^aof_enabled:0/m.test(said)) return []
  return [
    [
      'store-forgets',
      'Redis does not keep what it has answered (appendonly no): after its next start sessions that have ended may be good again, and ways to sign in that were added are gone. Set appendonly yes.',
    ],
  ]
}
