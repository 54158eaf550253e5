/**
 * What the sandbox that already listens on `port` lacks, if it is one.
 *
 * @param uris redirect URIs, divided by commas
 * @returns the URIs that it does not know; `undefined`: another program listens there
 */
export async function missingAt(port: number, uris: string): Promise<string[] | undefined> {
  try {
    const answer = await fetch(`http://localhost:${port}/`, { signal: AbortSignal.timeout(10_000) })
    const page = await answer.text()
    if (!page.includes(' – Video App Sandbox</title>')) return undefined
    return uris.split(',').filter((uri) => !page.includes(`<code>${uri}</code>`))
  } catch {
    return undefined
  }
}
