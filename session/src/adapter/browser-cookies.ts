import { lastOfEach, mergeCookies } from '../internal/set-cookie.js'

/** What a request's answer sets, and what its browser will send after that. */
interface Changes {
  readonly cookie: string
  readonly lines: readonly string[]
}

/** The cookies that answers are going to set. Most requests have none, and are not in here. */
export class BrowserCookies {
  readonly #changes = new WeakMap<object, Changes>()

  /** The Cookie header of a request, as its browser's will be after the answer. */
  of(native: object, sent: string | null | undefined): string | null | undefined {
    return this.#changes.get(native)?.cookie ?? sent
  }

  /** Set-Cookie lines, the last one for each cookie. */
  linesOf(native: object): readonly string[] {
    return this.#changes.get(native)?.lines ?? []
  }

  /** @returns the lines that were not known yet */
  set(
    native: object,
    sent: string | null | undefined,
    lines: readonly string[],
  ): readonly string[] {
    const known = new Set(this.linesOf(native))
    const added = lines.filter((line) => !known.has(line))
    if (added.length === 0) return added
    this.#changes.set(native, {
      cookie: mergeCookies(this.of(native, sent) ?? null, added),
      lines: lastOfEach([...known, ...added]),
    })
    return added
  }
}
