import { attemptCases } from './stores/contract/attempt-cases.js'
import type { Cases } from './stores/contract/cases.js'
import { documentCases } from './stores/contract/document-cases.js'
import { lifeCases } from './stores/contract/life-cases.js'
import { mailCases } from './stores/contract/mail-cases.js'
import { refreshCases } from './stores/contract/refresh-cases.js'
import { revocationCases } from './stores/contract/revocation-cases.js'
import { sessionCases } from './stores/contract/session-cases.js'
import type { Ledger, SessionStore } from './stores/ports.js'

export type {
  AttemptLimit,
  Entrance,
  KeyedDocument,
  Ledger,
  LedgerDocument,
  Life,
  LiveChange,
  LiveDocument,
  MailedProof,
  Redemption,
  RefreshClaim,
  RefreshedTokens,
  RevokedLately,
  SessionOwner,
  SessionRecord,
  SessionStore,
  ShownProof,
  Stores,
} from './stores/ports.js'

/** One promise of a store, with its test. */
export interface ContractCase {
  /** The promise. */
  readonly name: string
  /** @throws {Error} with the store's answer and the expected answer */
  run(): Promise<void>
}

/** The clock of a store. */
export interface ContractClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Moves the clock on, at once. */
  pass(seconds: number): void | Promise<void>
}

/** The stores to be tested: each function makes an empty one for each case. */
export interface ContractStores {
  readonly sessions?: (now: () => number) => SessionStore | Promise<SessionStore>
  readonly ledger?: (now: () => number) => Ledger | Promise<Ledger>
  /** For a store with its own clock. Otherwise the store gets a stopped one. */
  readonly clock?: ContractClock
}

/**
 * The promises of every store, as cases for any test runner: `get` after `put`, actions that happen
 * exactly once under any parallelism, sessions that stay over, rows that end in time. About fifty
 * cases, of a few hundred calls at most.
 *
 * @example
 * import { test } from 'node:test'
 *
 * const stores = { sessions: (now) => new MySessions(now), ledger: (now) => new MyLedger(now) }
 * for (const { name, run } of storeContract(stores)) test(name, run)
 */
export function storeContract({
  sessions,
  ledger,
  clock,
}: ContractStores): readonly ContractCase[] {
  const ofLedger = {
    ...revocationCases,
    ...refreshCases,
    ...mailCases,
    ...attemptCases,
    ...documentCases,
    ...lifeCases,
  }
  return [
    ...(sessions ? named('sessions', sessionCases, sessions, clock) : []),
    ...(ledger ? named('ledger', ofLedger, ledger, clock) : []),
  ]
}

function named<Store>(
  kind: string,
  cases: Cases<Store>,
  make: (now: () => number) => Store | Promise<Store>,
  clock: ContractClock | undefined,
): ContractCase[] {
  return Object.entries(cases).map(([name, run]) => ({
    name: `${kind}: ${name}`,
    async run() {
      const { now, pass } = clock ?? stoppedClock()
      await run({
        make: async () => make(now),
        now: Math.floor(now() / 1000),
        pass: async (seconds) => pass(seconds),
      })
    },
  }))
}

/** A clock that stands at the beginning of this second and moves only by `pass`. */
function stoppedClock(): ContractClock {
  let time = Math.floor(Date.now() / 1000) * 1000
  return {
    now: () => time,
    pass(seconds) {
      time += seconds * 1000
    },
  }
}
