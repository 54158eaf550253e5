import { json, type Outcome, showPage } from '../../http/outcome.js'
import { pageHead } from '../../http/page-head.js'
import { type AuthRequest, isJson } from '../../http/request.js'
import { NowherePage } from './consent-page.js'

/** A page with 400, the same for every cause. It has no part of the request, and leads nowhere. */
export async function showNowhere(request: AuthRequest): Promise<Outcome> {
  if (isJson(request, 'accept')) {
    const error_description =
      'client_id or redirect_uri is missing, unknown, or there more than once.'
    return json({ error: 'invalid_request', error_description }, 400)
  }
  const head = await pageHead(request)
  const { words } = head
  return showPage(words, words.texts.errorPages.otherTitle, NowherePage(head), 400)
}
