import { error } from '@sveltejs/kit'

/**
 * Refuses what another site's page has sent. A form action fetches the csrf token for its user, so the
 * token proves nothing here; the browser's own word on where the form comes from does (OWASP,
 * cross-site request forgery: Fetch Metadata). Kit has a check of its own, which apps switch off.
 *
 * @param origin the app's own
 * @throws Kit's error 403
 */
export function refuseOtherSites({ headers }: Request, origin: string): void {
  const site = headers.get('sec-fetch-site')
  const isOwn = site === null ? headers.get('origin') === origin : site === 'same-origin'
  if (!isOwn) error(403, 'The form comes from another site.')
}
