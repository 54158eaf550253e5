import { type ImportRow, MAX_IMPORT } from '@latchkey/host/shared'
import type { OldAccount } from './accounts.js'
import type { Report } from './report.js'
import type { ImportAnswer, Target } from './target.js'

/** How many requests are under way at once. */
const AT_ONCE = 6
/** A request has less than the 64 KiB that a service reads. */
const MAX_BODY = 60_000

/** Accounts on their way, some requests at once. */
export class Batches {
  readonly #target: Target | undefined
  readonly #report: Report
  readonly #show: (report: Report) => void
  readonly #under = new Set<Promise<void>>()
  #rows: ImportRow[] = []
  #accounts: OldAccount[] = []
  #length = 0
  #failed: { readonly error: unknown } | undefined

  /** @param target `undefined`: nothing is sent */
  constructor(target: Target | undefined, report: Report, show: (report: Report) => void) {
    this.#target = target
    this.#report = report
    this.#show = show
  }

  /** @param provider its id at the target */
  async add(account: OldAccount, provider: string): Promise<void> {
    const row = rowOf(account, provider)
    const { user } = account
    const length = Buffer.byteLength(JSON.stringify(row)) + 1
    // The value is longer than any id.
    if (length > MAX_BODY / 4)
      return this.#report.leave({ user: user.slice(0, 64), provider: account.provider }, 'bad-id')
    if (this.#rows.length === MAX_IMPORT || this.#length + length > MAX_BODY) await this.#flush()
    this.#rows.push(row)
    this.#accounts.push(account)
    this.#length += length
  }

  /**
   * Waits for everything.
   * @throws the first failure
   */
  async finish(): Promise<void> {
    await this.#flush()
    await this.settle()
    if (this.#failed) throw this.#failed.error
  }

  async settle(): Promise<void> {
    await Promise.all(this.#under)
  }

  async #flush(): Promise<void> {
    const [rows, accounts] = [this.#rows, this.#accounts]
    this.#rows = []
    this.#accounts = []
    this.#length = 0
    if (rows.length === 0) return
    while (this.#under.size >= AT_ONCE) await Promise.race(this.#under)
    if (this.#failed) throw this.#failed.error
    const sent = this.#send(rows, accounts).catch((error: unknown) => {
      this.#failed ??= { error }
    })
    this.#under.add(sent)
    sent.finally(() => this.#under.delete(sent))
  }

  async #send(rows: readonly ImportRow[], accounts: readonly OldAccount[]): Promise<void> {
    if (this.#target) this.#take(await this.#target.send(rows), accounts)
    this.#show(this.#report)
  }

  #take({ added, known, left }: ImportAnswer, accounts: readonly OldAccount[]): void {
    this.#report.added += added
    this.#report.known += known
    for (const [at, why] of left) {
      this.#report.leave(accounts[at] ?? {}, why)
    }
  }
}

function rowOf({ user, account, issuer, hash }: OldAccount, provider: string): ImportRow {
  if (hash !== undefined) return [user, provider, account, '', hash]
  return issuer ? [user, provider, account, issuer] : [user, provider, account]
}
