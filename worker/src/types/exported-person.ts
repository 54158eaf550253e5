import type { ListedKey } from './api-key.js'
import type { BlockedSince, ListedApp, ListedWay } from './auth-handler.js'

/** The data of a person. Times are ISO 8601. */
export interface ExportedPerson {
  readonly sub: string
  readonly sessions: readonly ExportedSession[]
  readonly ways: readonly ListedWay[]
  readonly connections: readonly ExportedConnection[]
  readonly passkeys: readonly ExportedPasskey[]
  readonly factors: readonly ExportedFactor[]
  /** The apps that the person has let in. */
  readonly apps: readonly ListedApp[]
  readonly keys: readonly ListedKey[]
  /** Set for a person that the operator has blocked, with the operator's reason. */
  readonly blocked?: BlockedSince
}

/** A second factor. */
export interface ExportedFactor {
  readonly type: 'totp'
  /** ISO 8601. */
  readonly added: string
  /** How many are left. */
  readonly recoveryCodes: number
}

/** A passkey, without its key: that is public, but of no use to a reader. Times are ISO 8601. */
export interface ExportedPasskey {
  /** The id of the way. */
  readonly id: string
  /** The person's name for it, or else its authenticator's name. */
  readonly name: string | null
  readonly added: string | null
  /** To the day. */
  readonly lastUsed: string | null
  /** May it be on other devices, and is it? */
  readonly backupEligible: boolean
  readonly backedUp: boolean
  /** What made it, as it says itself. */
  readonly aaguid: string
  /** How browsers reach it: `internal`, `hybrid`, `usb`, `nfc`, `ble`. */
  readonly transports: readonly string[]
}

/** A provider's tokens that outlive the session. */
export interface ExportedConnection {
  readonly provider: string
  /** The granted scopes; `null` if they are unknown. */
  readonly scope: string | null
  /** When the way was last proved. ISO 8601. */
  readonly since: string
}

/** A session in an export of a person. */
export interface ExportedSession {
  /** The session's id, which is not a credential. */
  readonly id: string
  /** Id of the provider that was used. */
  readonly provider: string
  /** Such as `Firefox on Windows`. */
  readonly device: string
  readonly place: string | null
  /** ISO 8601, like the others. */
  readonly created: string
  /** To the day, or to `session.updateAge`. */
  readonly lastUsed: string
  readonly expires: string
  /** As the provider described the person; absent if the secret that sealed it is gone. */
  readonly user?: {
    readonly name: string | null
    readonly email: string | null
    readonly image: string | null
  }
}
