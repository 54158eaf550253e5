import { TOKEN_MAX_AGE } from './sizes.js'

/**
 * The endings that an app server has received, by pages of the feed and by answers about its own
 * sessions.
 */
export class AppFeed {
  /** For the whole deployment's endings, and for all its own sessions. */
  bytes = 0
  questions = 0
  readonly #people: number
  readonly #byPages = new Map<string, number>()
  readonly #byAnswers = new Map<string, number>()

  /**
   * @param people how many people each ending on a page stands for: as many as one simulated person
   */
  constructor(people: number) {
    this.#people = people
  }

  /** @param sent characters of a body @param now milliseconds */
  add(url: URL, sent: number, text: string, now: number): void {
    const isQuestion = url.searchParams.has('of') || sent > 0
    const names = namesIn(text)
    this.bytes += url.href.length + sent + text.length
    if (isQuestion) this.questions++
    else this.bytes += (this.#people - 1) * names.length
    const known = isQuestion ? this.#byAnswers : this.#byPages
    for (const name of names.all) {
      known.delete(name)
      known.set(name, now)
    }
  }

  /** Endings that count still. */
  entries(now: number): number {
    const after = now - TOKEN_MAX_AGE * 1000
    const count = (known: ReadonlyMap<string, number>) =>
      [...known.values()].filter((at) => at > after).length
    return count(this.#byPages) * this.#people + count(this.#byAnswers)
  }
}

/** The sessions and people of a signed feed, and the characters that they take in it. */
function namesIn(text: string): { readonly all: readonly string[]; readonly length: number } {
  const content = text.split('.')[1]
  if (content === undefined) return { all: [], length: 0 }
  const { sids, cutoffs } = JSON.parse(Buffer.from(content, 'base64url').toString()) as {
    readonly sids: readonly string[]
    readonly cutoffs: readonly { readonly pid: string }[]
  }
  const length = (JSON.stringify(sids).length + JSON.stringify(cutoffs).length - 4) * (4 / 3)
  return { all: [...sids, ...cutoffs.map(({ pid }) => pid)], length }
}
