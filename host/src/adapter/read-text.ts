import { readLimited } from '@latchkey/session/internal'

/** An answer's body as text, or `undefined` when it is longer than the limit. @param limit bytes */
export async function readText({ body }: Response, limit: number): Promise<string | undefined> {
  const bytes = await readLimited(body, limit)
  return bytes && new TextDecoder().decode(bytes)
}
