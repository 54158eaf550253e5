import type { customFetch } from '../lib/symbols.js'
import type { Awaitable } from './awaitable.js'
import type { SignInKind } from './sign-in-kind.js'
import type { ThemeConfig } from './theme-config.js'

/** A mail as it is sent. nodemailer's `sendMail` takes it as it is. */
export interface SignInMail {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What `sendVerificationRequest` is given. */
export interface VerificationRequest {
  /** The address, in the spelling that is stored and mailed to. */
  readonly identifier: string
  /** The link that signs in. A secret: keep it out of logs. */
  readonly url: string
  /** Six digits for the page that was asked from. As secret as the link. */
  readonly code: string
  /** When both end. */
  readonly expires: Date
  readonly provider: EmailConfig
  /** The request that asked for the mail; its body was read already. */
  readonly request: Request
  readonly theme: ThemeConfig
  /** The mail that would be sent, ready to be handed to whatever sends it. */
  readonly mail: SignInMail
}

/** What a user sets on the e-mail provider. */
export interface EmailUserConfig {
  readonly id?: string
  readonly name?: string
  /** The sender: an address, or `Name <address>`. Default: `AUTH_EMAIL_FROM`. */
  readonly from?: string
  /** How long the link and the code work. Seconds, 60 to 86,400; default 10 minutes (ASVS 6.5.5). */
  readonly maxAge?: number
  /**
   * Changes an address after it was put in its one spelling, or throws to refuse it. What it
   * returns must be an address again, and one that it leaves as it is.
   */
  readonly normalizeIdentifier?: (identifier: string) => string
  /** Begins the link's secret: 22 to 256 characters of base64url. 256 random bits of ours follow. */
  readonly generateVerificationToken?: () => Awaitable<string>
  /**
   * Sends the mail. Ten seconds at most; throw when it cannot be sent. Default: by Resend where
   * `AUTH_RESEND_KEY` is set, else through the binding `EMAIL`.
   */
  readonly sendVerificationRequest?: (request: VerificationRequest) => Awaitable<unknown>
  /** Used for requests to Resend. See {@link customFetch}. */
  readonly [customFetch]?: typeof fetch
}

/** Sign-in by a mail with a link and a code. */
export interface EmailConfig extends EmailUserConfig {
  readonly id: string
  readonly name: string
  readonly type: 'email'
  readonly kind?: SignInKind
}
