import type { Change, Question, QuestionAnswer, Stored } from '../../../stores/stored.js'

const TABLE = 'documents'

/**
 * The beginnings of the keys in a store of Node. They have no `\n`, as the keys of documents about people have, so no erasure
 * reaches them. A store that has them keeps them readable.
 */
export const KEYS = {
  /** Records: the newest one has the first key. */
  record: 'audit record ',
  /** Values beside the records. */
  state: 'audit state ',
  /** Messages that were not received: the newest one has the first key. */
  message: 'audit message ',
  /** The next tries of messages, the soonest first. */
  due: 'audit due ',
  /** Which process does the regular work, and until when. */
  lease: 'audit lease',
  /** The term of that process: changed only when another process takes the work over. */
  term: 'audit term',
} as const

const DIGITS = String(Number.MAX_SAFE_INTEGER).length

/** A number as a part of a key: in the order of numbers. */
export function upwards(value: number): string {
  return String(value).padStart(DIGITS, '0')
}

/** The reverse: the highest number first. */
export function downwards(seq: number): string {
  return upwards(Number.MAX_SAFE_INTEGER - seq)
}

/** @returns `undefined`: no process has written such a key */
export function seqOf(key: string, beginning: string): number | undefined {
  const digits = key.slice(beginning.length)
  return digits.length === DIGITS && /^\d+$/.test(digits)
    ? Number.MAX_SAFE_INTEGER - Number(digits)
    : undefined
}

/** A document as it was read: `raw` is the row of the store, by which a change compares; null: there is none. */
export interface Found {
  readonly raw: string | null
  /** `undefined`: there is none, or somebody has made it unreadable. */
  readonly content: string | undefined
}

/** The documents of the log in a store. */
export class Documents {
  readonly #stored: Stored
  readonly #fence: (() => Change) | undefined

  /** @param fence has to be as it was with each change: the term of the process that does the regular work */
  constructor(stored: Stored, fence?: () => Change) {
    this.#stored = stored
    this.#fence = fence
  }

  async get(keys: readonly string[]): Promise<readonly Found[]> {
    if (keys.length === 0) return []
    const { answers } = await this.#stored.read(keys.map((key) => ({ table: TABLE, key })))
    return answers.map((answer) => foundIn(answer as string | null))
  }

  /** The same, with the time of the store. Milliseconds since the epoch. */
  async getNow(keys: readonly string[]): Promise<{ found: readonly Found[]; now: number }> {
    const { answers, now } = await this.#stored.read(keys.map((key) => ({ table: TABLE, key })))
    return { found: answers.map((answer) => foundIn(answer as string | null)), now }
  }

  /** The first documents with a beginning, in the order of their keys. */
  async first(beginning: string, limit: number): Promise<readonly (Found & { key: string })[]> {
    const [found = []] = await this.firstOf([beginning], limit)
    return found
  }

  /** The first documents of each beginning. */
  async firstOf(
    beginnings: readonly string[],
    limit: number,
  ): Promise<readonly (readonly (Found & { key: string })[])[]> {
    const questions: Question[] = beginnings.map((beginning) => ({
      table: TABLE,
      beginning,
      limit,
    }))
    const { answers } = await this.#stored.read(questions)
    return answers.map((answer: QuestionAnswer) =>
      (answer as readonly (readonly [string, string])[]).map(([key, row]) => ({
        key,
        ...foundIn(row),
      })),
    )
  }

  /** @returns `false`: nothing was written, because a document is not as it was read */
  commit(changes: readonly Change[], readAt: number | null = null): Promise<boolean> {
    return this.#stored.commit([...(this.#fence ? [this.#fence()] : []), ...changes], readAt)
  }
}

/** @param before as of `Change`: `undefined` is whatever there is */
export function change(
  key: string,
  before: string | null | undefined,
  content?: string | null,
): Change {
  return {
    table: TABLE,
    key,
    ...(before === undefined ? {} : { before }),
    ...(content === undefined ? {} : { after: content === null ? null : rowOf(content) }),
    ...(typeof content === 'string' ? { expires: null } : {}),
  }
}

/** In the order in which every store gives the columns back. */
function rowOf(content: string): string {
  return JSON.stringify({ version: 1, content, expires: null })
}

function foundIn(raw: string | null): Found {
  try {
    const { content } = JSON.parse(raw ?? 'null') as { content?: unknown }
    if (typeof content === 'string') return { raw, content }
  } catch {
    // There is none, or somebody has changed it.
  }
  return { raw, content: undefined }
}
