/** Lists of an export of a person. */
export interface ExportsOfPasskeys {
  readonly passkeys: readonly ExportedPasskey[]
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
