import type { customFetch } from '../lib/symbols.js'
import type { Awaitable } from './awaitable.js'
import type { SignInKind } from './sign-in-kind.js'
import type { ThemeConfig } from './theme-config.js'

/** A mail as it is sent. nodemailer's `sendMail` takes it unchanged. */
export interface SignInMail {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What in a mail signs in. */
export interface MailProof {
  readonly url: string
  readonly code: string
}

/** A mail for a service, whose sender has been read. */
export interface ServiceMail extends SignInMail, Partial<MailProof> {
  readonly sender: { readonly name?: string; readonly email: string }
  /** Headers that the mail must have. */
  readonly headers: Readonly<Record<string, string>>
}

/** A service that sends mails by HTTP. */
export interface MailService {
  /** Its name in the log. */
  readonly name: string
  /**
   * The settings that it needs, by the ends of their variables (`KEY` is `AUTH_<ID>_KEY`), with the
   * values that the code gives.
   */
  readonly settings: Readonly<Record<string, string | undefined>>
  /** The request (POST) that sends a mail. */
  readonly request: (
    mail: ServiceMail,
    settings: Readonly<Record<string, string>>,
  ) => Awaitable<{
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string | URLSearchParams
  }>
  /** Has it taken the mail? A proxy's page may have status 200 as well. */
  readonly isTaken: (status: number, said: Readonly<Record<string, unknown>>) => boolean
  /** Its own code of an error, for the log. */
  readonly codeOf?: (said: Readonly<Record<string, unknown>>) => unknown
}

/** The options of a provider that sends through a service. */
export interface MailServiceOptions extends Omit<EmailUserConfig, 'sendVerificationRequest'> {
  /** The key of the service. Default: `AUTH_<ID>_KEY`. */
  readonly apiKey?: string
}

/** The arguments of `sendVerificationRequest`. */
export interface VerificationRequest {
  /**
   * The purpose of the mail. `add`: link and code add the address to the account of the person who
   * asked, in their browser alone. `notice`: it announces a change to a person's account; then
   * `code` is empty, `url` is the page of the account, and `mail` is the text to send.
   */
  readonly purpose: 'sign-in' | 'add' | 'notice'
  /** The address, normalized, as it is stored and mailed to. */
  readonly identifier: string
  /** The link that signs in. A secret: keep it out of logs. */
  readonly url: string
  /** Six digits for the page that asked for the mail. As secret as the link. */
  readonly code: string
  /** When both end. */
  readonly expires: Date
  readonly provider: EmailConfig
  /** The request that asked for the mail; its body was already read. */
  readonly request: Request
  readonly theme: ThemeConfig
  /** The mail that would be sent, ready for any mail library. */
  readonly mail: SignInMail
}

/** The options of the email provider. */
export interface EmailUserConfig {
  /** Part of its routes, of every `sub` and of the names of variables. Default `email`. */
  readonly id?: string
  /** The name of its form on the sign-in page. Default `Email`. */
  readonly name?: string
  /** The sender: an address, or `Name <address>`. Default: `AUTH_<ID>_FROM`, else `AUTH_EMAIL_FROM`. */
  readonly from?: string
  /** How long the link and the code work, in seconds: 60 to 86,400 (ASVS 6.5.5). Default 600 (10 minutes). */
  readonly maxAge?: number
  /**
   * Changes a normalized address, or throws to refuse it. Its result must be an address again,
   * which a second call does not change.
   */
  readonly normalizeIdentifier?: (identifier: string) => string
  /**
   * Returns the beginning of the link's secret: 22 to 256 characters of base64url. The service adds
   * 256 random bits.
   */
  readonly generateVerificationToken?: () => Awaitable<string>
  /**
   * Sends the mail. Ten seconds at most; throw when it cannot be sent. Default: by Resend if
   * `AUTH_RESEND_KEY` is set, else through the binding `EMAIL`.
   */
  readonly sendVerificationRequest?: (request: VerificationRequest) => Awaitable<unknown>
  /** Used for requests to Resend. See {@link customFetch}. */
  readonly [customFetch]?: typeof fetch
}

/** Sign-in by a mail with a link and a code. */
export interface EmailConfig extends EmailUserConfig {
  /** Part of its routes, of every `sub` and of the names of variables. */
  readonly id: string
  /** The name of its form on the sign-in page. */
  readonly name: string
  /** The type of the provider. Default: `email()` sets it. */
  readonly type: 'email'
  /** How it signs in. Default: its function sets it, or its `type` says it. */
  readonly kind?: SignInKind
  /**
   * The mail service that sends its mails: `postmark()` and the others set it. Default: as
   * `sendVerificationRequest`.
   */
  readonly service?: MailService
}
