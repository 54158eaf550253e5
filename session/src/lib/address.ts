/** An http(s) URL that a path can be added to: without a query, fragment or user. */
export function parseAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return url.search + url.hash + url.username + url.password === '' ? url : undefined
}
