import { StoreUnavailable } from '../../../errors.js'
import { logEvent } from '../../../http/log-event.js'
import type { AuthRequest } from '../../../http/request.js'
import { readKeyText } from './key-text.js'
import { endKeys, liveKey, tryKey } from './own-keys.js'

/**
 * Ends a key that is shown as a whole (RFC 7009): its person does, or a finder, such as a scanner of secrets.
 *
 * @returns `false`: it is not a key of this service
 * @throws {StoreUnavailable}
 */
export async function endFoundKey(
  request: AuthRequest,
  text: string,
  prefix: string,
): Promise<boolean> {
  const named = await readKeyText(request, text, prefix)
  if (!named) return false
  const tries = await tryKey(request, named)
  if (tries.wait > 0) throw new StoreUnavailable('A key comes too often to ask about it.')
  const key = await liveKey(request, named)
  // One that has ended is not announced again.
  if (!key) return true
  tries.takeBack()
  await endKeys(request, [named])
  await logEvent(request, { event: 'keys-ended', sub: key.sub, count: 1 })
  return true
}
