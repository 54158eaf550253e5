import type { AuthRequest } from '../../http/request.js'
import { openDescribed } from '../ways/description.js'
import type { Asker } from './person-password.js'
import { passwordSettings } from './settings.js'

/** The words that are easy to guess for a person here: of the site, of their addresses, and of the configuration. */
export async function contextOf(
  request: AuthRequest,
  { read, address }: Asker,
): Promise<readonly string[]> {
  const { name } = request.config.theme
  const labels = new URL(request.origin).hostname.split('.').slice(0, -1)
  const described = await Promise.all(
    (read.person?.ways ?? []).map((way) => openDescribed(request, way)),
  )
  const all = [address, ...described.map((one) => one.address)].flatMap((one) => one ?? [])
  const own = all.flatMap((one) => [one, one.slice(0, one.lastIndexOf('@'))])
  return [...(name ? [name] : []), ...labels, ...own, ...passwordSettings(request).context]
}
