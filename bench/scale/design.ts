import type { SessionClaims } from '@latchkey/session'
import type { UserCutoff } from '@latchkey/session/issue'
import type { Ledger } from '@latchkey/worker/stores/ledger/rules'
import type { RevocationSource } from '@latchkey/worker/stores/ports'
import type { Caller } from './ledger-objects.js'
import type { Size } from './sizes.js'
import type { Surroundings } from './surroundings.js'

/** What says that a session is over. */
export type Named = Pick<SessionClaims, 'sid' | 'sub' | 'auth_time'>

/** The endings that one isolate of the Worker knows. */
export interface IsolateRevocations {
  /** Called by every read. @returns a promise that the read has to wait for, if any */
  refresh(): Promise<unknown> | undefined
  has(session: Named): boolean
  /** Does a read ask the ledger about each session, since nothing was heard of endings yet? */
  readonly isUnheard: boolean
  /** Endings that this isolate wrote itself. */
  ended(sid: string): void
  cutOff(cutoff: UserCutoff): void
  /** The answer to an app that asks for endings. */
  answer(request: Request): Promise<Response>
  readonly entries: number
}

/** An app server that reads sessions. */
export interface AppReader {
  /** Does this cookie sign in? Answers without a promise if it can. */
  read(cookieHeader: string): AppReading | Promise<AppReading>
  close(): void
}

export interface AppReading {
  readonly isSignedIn: boolean
  readonly setCookie: readonly string[]
}

/** The ledger, and its collectors if there are any. */
interface LedgerStores {
  readonly ledger: Ledger
  readonly revocations?: RevocationSource
}

/** How isolates and apps learn of endings. The simulator compares designs. */
export interface Design {
  readonly name: string
  /** One for each isolate of a run. */
  isolate(around: Surroundings, caller: Caller, stores: LedgerStores): IsolateRevocations
  /** One for each app server. @param fetch reaches an isolate near the app */
  app(around: Surroundings, fetch: typeof globalThis.fetch): AppReader
  /** Looks a second at each object by all the isolates but so many that are simulated. */
  otherLooks(size: Size, simulated: number): number
  /** Bytes of memory for so many endings in an isolate. */
  bytesOfIsolate(entries: number): number
}
