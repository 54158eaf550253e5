import type { WithCredential } from '../person/way-document.js'
import type { Account, Profile, User } from '../types.js'

/** A person who has just proved their identity. The credential is as it is now; it is not for the app. */
export interface SignedIn extends WithCredential {
  readonly user: User
  readonly account: Account & { readonly userId: string }
  readonly profile?: Profile
  readonly credentials?: Readonly<Partial<Record<string, unknown>>>
  /** The way's own name, if the ledger knows its owner. Not for the app. */
  readonly way?: string
  /** It is the only one that they have had, though the ledger knows of it. Not for the app. */
  readonly isAlone?: true
  /** The app's `subject` has named the person, not the ledger. Not for the app. */
  readonly isGiven?: true
  /**
   * The ledger did not know the owner of the way, and the app asks whether the person is new. Not
   * for the app.
   */
  readonly mayBeNew?: true
  /**
   * Is it their first sign-in? Known only if the configuration asks for it. Not for the app's
   * `signIn`.
   */
  readonly isNewUser?: boolean
  /** How they proved it (RFC 8176), the provider's id first; left out: by the provider alone. Not for the app. */
  readonly amr?: readonly [provider: string, ...methods: string[]]
  /** When they proved it, if that was before the request came. Seconds since the epoch. Not for the app. */
  readonly authTime?: number
  /** The name of a way that is added, if its person may change it. Not for the app. */
  readonly label?: string
}
