import type { AuditHead, AuditHeads, AuditRecord } from '../../../types/audit.js'
import { hashOf } from './canonical.js'
import { MAX_DAYS } from './days.js'
import type { ChainHeads } from './record.js'
import { isRecordAt } from './sound-entry.js'
import { ChainCheck, type FoundFault } from './verify-chain.js'

export type { AuditFault, FoundFault } from './verify-chain.js'

/** The findings of a check. */
export interface AuditFindings {
  /** No fault was found. */
  readonly ok: boolean
  /** How many were read. */
  readonly records: number
  /** The first and the last `seq` that was read of each chain. */
  readonly chains: readonly { readonly chain: string; readonly from: number; readonly to: number }[]
  readonly faults: readonly FoundFault[]
}

/** The heads that records are compared with. */
export interface VerifyOptions {
  /** The answer of `auditHeads()` from before the records were read. Absent: the records may begin and end anywhere. */
  readonly heads?: AuditHeads | undefined
  /** Heads of an earlier time, kept where nobody who can write the ledger can write. */
  readonly saved?: AuditHeads | undefined
  /** Milliseconds since the epoch. */
  readonly now?: number
}

const DAY = 24 * 60 * 60 * 1000
/** Records that are hashed at once. */
const PART = 500

/**
 * Checks a log page by page. It needs no secret, and in the order of the log, or the reverse one, little memory.
 *
 * @example
 * const check = new AuditCheck({ heads })
 * for await (const page of pages) await check.add(page)
 * const { ok, faults } = check.end()
 */
export class AuditCheck {
  readonly #options: VerifyOptions
  readonly #chains = new Map<string, ChainCheck>()
  #records = 0
  /** Lines without a place in a chain. */
  #strays = 0

  constructor(options: VerifyOptions = {}) {
    this.#options = options
    for (const { chain } of options.heads?.chains ?? []) this.#chainOf(chain)
  }

  /** @param records in any order, as the service or a file has them: any other value is a fault */
  async add(records: Iterable<unknown>): Promise<void> {
    let part: unknown[] = []
    for (const record of records) {
      if (part.push(record) < PART) continue
      await this.#addAll(part)
      part = []
    }
    await this.#addAll(part)
  }

  /**
   * The heads of the records, to be kept elsewhere if there was no fault and no service to ask. If the number of days is unknown,
   * it is the highest: then no head is too old to be compared.
   */
  get heads(): AuditHeads {
    const chains = [...this.#chains].flatMap(([chain, { heads }]) =>
      heads ? [{ chain, ...heads }] : [],
    )
    return { days: this.#days ?? MAX_DAYS, chains }
  }

  /** @param later the heads from after the records were read, since retention may have deleted some meanwhile */
  end(later?: AuditHeads): AuditFindings {
    const { heads, saved, now = Date.now() } = this.#options
    const limit = now - (this.#days ?? Number.POSITIVE_INFINITY) * DAY
    const isOld = (time: string | null) => time !== null && Date.parse(time) <= limit
    const ofChains = [...this.#chains].flatMap(([chain, check]) =>
      check.end({
        heads: endsOf(heads, chain),
        later: endsOf(later, chain),
        saved: savedOf(saved, chain),
        isOld,
      }),
    )
    const gone = (saved?.chains ?? [])
      .filter(({ chain, head }) => head.seq > 0 && !this.#chains.has(chain))
      .map(({ chain, head: { seq } }) => ({ fault: 'gone' as const, chain, seq }))
    const strays = Array.from({ length: this.#strays }, () => STRAY)
    const faults = [...ofChains, ...gone, ...strays]
    const chains = [...this.#chains.values()].flatMap(({ range }) => range ?? [])
    return { ok: faults.length === 0, records: this.#records, chains, faults }
  }

  async #addAll(records: readonly unknown[]): Promise<void> {
    this.#records += records.length
    const hashes = records.map((record) => (isWhole(record) ? hashOf(record) : undefined))
    for (const [at, hash] of (await Promise.all(hashes)).entries()) {
      const record = records[at]
      if (!isPlaced(record)) this.#strays++
      else if (isWhole(record)) {
        this.#chainOf(record.chain).add(record, record.time, record.hash !== hash)
      } else {
        const link = { seq: record.seq, prev: undefined, hash: undefined }
        this.#chainOf(record.chain).add(link, null, true)
      }
    }
  }

  get #days(): number | undefined {
    return this.#options.heads?.days ?? this.#options.saved?.days
  }

  #chainOf(chain: string): ChainCheck {
    const known = this.#chains.get(chain)
    if (known) return known
    const { heads, saved } = this.#options
    const wanted = [endsOf(heads, chain)?.head, savedOf(saved, chain)]
    const made = new ChainCheck(
      chain,
      wanted.flatMap((head) => head?.seq ?? []),
    )
    this.#chains.set(chain, made)
    return made
  }
}

/**
 * Checks a whole log at once: see {@link AuditCheck}.
 *
 * @example const { ok, faults } = await verifyAudit(records, await auditHeads())
 */
export async function verifyAudit(
  records: Iterable<unknown>,
  heads?: AuditHeads,
  saved?: AuditHeads,
  now: number = Date.now(),
): Promise<AuditFindings> {
  const check = new AuditCheck({ heads, saved, now })
  await check.add(records)
  return check.end()
}

/** A line of a file that names no place. */
const STRAY: FoundFault = { fault: 'edited', chain: '', seq: 0 }

function isPlaced(value: unknown): value is { readonly chain: string; readonly seq: number } {
  if (typeof value !== 'object' || value === null) return false
  const { chain, seq } = value as { chain?: unknown; seq?: unknown }
  return typeof chain === 'string' && Number.isSafeInteger(seq)
}

function isWhole(value: unknown): value is AuditRecord {
  return isPlaced(value) && isRecordAt(value, value.chain, value.seq)
}

function endsOf(heads: AuditHeads | undefined, chain: string): ChainHeads | undefined {
  return heads?.chains.find((ends) => ends.chain === chain)
}

function savedOf(saved: AuditHeads | undefined, chain: string): AuditHead | undefined {
  return endsOf(saved, chain)?.head
}
