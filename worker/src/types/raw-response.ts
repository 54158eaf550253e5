/** A cookie to set, in its parts. */
export interface RawCookie {
  readonly name: string
  readonly value: string
  readonly options: {
    readonly path: string
    readonly httpOnly: boolean
    readonly secure: boolean
    readonly sameSite: 'lax' | 'none'
    /** With `none`: it is kept for each site that the app is embedded in. */
    readonly partitioned?: true
    /** Seconds; left out, the cookie lives as long as the browser is open. */
    readonly maxAge?: number
    readonly domain?: string
  }
}

/** A response in parts, for a framework that sets cookies and redirects in its own way. */
export interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly redirect?: string
  readonly cookies: readonly RawCookie[]
  readonly body: string
}
