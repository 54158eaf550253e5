export type FieldValue = string | number | boolean | null | undefined

/** The fields that are sent, without the csrf token. */
export type Form = Readonly<Record<string, FieldValue>> & { readonly callbackUrl: string }

/** The browser's functions that the client needs; read on use, since a server has none of them. */
export interface Browser {
  readonly fetch: typeof globalThis.fetch
  readonly location: Pick<Location, 'href' | 'hostname' | 'origin' | 'assign' | 'reload'>
  readonly navigator: { readonly credentials: Pick<CredentialsContainer, 'create' | 'get'> }
  /** Older browsers have none. */
  readonly PublicKeyCredential?: Passkeys
}

/** The platform's API for passkeys (WebAuthn Level 3, section 5.1). */
type Passkeys = Partial<
  Pick<
    typeof PublicKeyCredential,
    'parseCreationOptionsFromJSON' | 'parseRequestOptionsFromJSON' | 'signalUnknownCredential'
  >
>

/** An answer of the auth service. */
export interface Answer {
  readonly status: number
  readonly ok: boolean
  /** `undefined` if the answer is not JSON, such as a proxy's error page. */
  readonly data?: unknown
  /**
   * For a ceremony with a passkey: was the credential sent, or did it stop in the browser, which
   * then stays?
   */
  readonly ceremony?: 'sent' | 'stopped'
}

/** Sends a form or JSON, or GETs if there is nothing to send. @throws {AuthError} */
export type Asking = (url: string, body?: URLSearchParams | object) => Promise<Answer>

/** A text member of an answer; any other value counts as absent. */
export function textIn(data: unknown, name: string): string | undefined {
  const value = memberOf(data, name)
  return typeof value === 'string' ? value : undefined
}

/** A member of an answer, whatever the answer is. */
export function memberOf(data: unknown, name: string): unknown {
  return Object(data)[name]
}
