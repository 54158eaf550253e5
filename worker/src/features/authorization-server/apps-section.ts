import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../../http/request.js'
import { html, type Markup } from '../../pages/markup.js'
import type { SectionPlace } from '../../service/account-hooks.js'

export async function showApps(
  _request: AuthRequest,
  _claims: SessionClaims,
  _place: SectionPlace,
): Promise<Markup> {
  return html``
}
