import type { SafeRedirect } from '../../config/safe-redirect.js'
import { wordsFor } from '../../http/locale.js'
import { json, type Outcome, showPage } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { copyTexts } from '../../pages/copy-buttons.js'
import { RecoveryCodesPage } from './recovery-codes-page.js'

/** Recovery codes, which are shown once. */
export async function showCodes(
  request: AuthRequest,
  codes: readonly string[],
  target: SafeRedirect,
): Promise<Outcome> {
  if (request.wantsJson) return json({ url: target, recoveryCodes: codes })
  const { theme } = request.config
  const words = await wordsFor(request)
  const page = RecoveryCodesPage({ theme, words, codes, target })
  return showPage(words, words.texts.recoveryCodes.tab, page, 200, [copyTexts])
}
