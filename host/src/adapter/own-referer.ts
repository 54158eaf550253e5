/**
 * The page of this app that sent a request, as far as the browser says; of another site's `undefined`.
 *
 * @param referer the header
 * @param origin the app's own
 */
export function ownReferer(referer: string | null | undefined, origin: string): URL | undefined {
  if (!referer || !URL.canParse(referer)) return undefined
  const url = new URL(referer)
  return url.origin === origin ? url : undefined
}
