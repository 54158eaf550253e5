import type { BlockedSince } from './auth-handler.js'
import type { FeatureExports } from './of-features.js'

/** The data of a person. Times are ISO 8601. */
export interface ExportedPerson extends FeatureExports {
  readonly sub: string
  readonly sessions: readonly ExportedSession[]
  /** Set for a person that the operator has blocked, with the operator's reason. */
  readonly blocked?: BlockedSince
}

/** A session in an export of a person. */
export interface ExportedSession {
  /** The session's id, which is not a credential. */
  readonly id: string
  /** Id of the provider that was used. */
  readonly provider: string
  /** The id of the company that signed the person in. Left out: none did. */
  readonly company?: string
  /** Such as `Firefox on Windows`. */
  readonly device: string
  readonly place: string | null
  /** ISO 8601, like the others. */
  readonly created: string
  /** To the day, or to `session.updateAge`. */
  readonly lastUsed: string
  readonly expires: string
  /** Is it bound to its browser's device? Left out if the service binds no sessions. */
  readonly bound?: boolean
  /** As the provider described the person; absent if the secret that sealed it is gone. */
  readonly user?: {
    readonly name: string | null
    readonly email: string | null
    readonly image: string | null
  }
}
