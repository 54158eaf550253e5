import type { Request } from 'express'
import type { Cookie } from '../cookies.ts'

/** The app's origin. On http, so that no contestant's cookie needs a prefix. */
export const ORIGIN = 'http://localhost:3000'
export const SECRET = 'a-secret-of-the-bench-0123456789abcdef'

/** The contents of every session, in each contestant's own form. */
export interface Session {
  readonly user?: { readonly name?: string | null | undefined } | undefined
}

type Found = Session | null | undefined

/** A way to read the session in an Express app. Each contestant runs in a process of its own. */
export interface Contestant {
  /** Signs all people in. Returns the Cookie header of each. */
  signIn(people: readonly Person[]): Promise<string[]>
  read(req: Request): Found | Promise<Found>
  /** Makes every token a new one, for contestants that cache tokens. */
  forget?(): Promise<void>
}

export interface Person {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly image: string
}

/** People with names of one length, so that all answers have one length. */
export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, index) => {
    const number = String(index).padStart(7, '0')
    return {
      id: `5f0a4b6e-3f51-4c35-9a53-0d3f6${number}`,
      name: `Ada Lovelace ${number}`,
      email: `ada.${number}@example.com`,
      image: `https://example.com/people/${number}.png`,
    }
  })
}

/** The session's cookies between other cookies that many sites set. */
export function cookieHeader(...session: readonly Cookie[]): string {
  const before = ['_ga=GA1.1.1436091811.1763712000', 'theme=dark']
  const after = ['locale=en-GB', 'consent=necessary.statistics', '_ga_9XQ4=GS2.1.s1763712000$o1$g0']
  const own = session.map(({ name, value }) => `${name}=${value}`)
  return [...before, ...own, ...after].join('; ')
}

/** Many at once, but not all, since the thread pool is small. */
export async function forEach<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += 64) {
    results.push(...(await Promise.all(items.slice(start, start + 64).map(work))))
  }
  return results
}
