import { runInNewContext } from 'node:vm'

/**
 * Runs a documented script with a page around it whose only element is the sign-out button, and clicks that.
 *
 * @returns the address that the page assigns
 */
export async function clickSignOut(
  script: string,
  fetch: (path: string, init?: RequestInit) => Promise<Response>,
): Promise<string | undefined> {
  let click = async () => {}
  const assigned: string[] = []
  runInNewContext(script, {
    URLSearchParams,
    fetch,
    location: { assign: (url: string) => void assigned.push(url) },
    document: {
      getElementById: () => ({
        addEventListener: (_event: string, work: typeof click) => (click = work),
      }),
    },
  })
  await click()
  return assigned[0]
}
