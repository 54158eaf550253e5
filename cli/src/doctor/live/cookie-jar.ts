interface Cookie {
  readonly name: string
  readonly value: string
  /** Without `isExact` the hosts below it as well. */
  readonly domain: string
  readonly isExact: boolean
}

/** A provider sets few. */
const MAX_COOKIES = 50
const MAX_LENGTH = 8_192

/** The cookies of one walk through a provider, by the hosts that set them (RFC 6265, in its outlines). */
export class CookieJar {
  #cookies: readonly Cookie[] = []

  keep(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const at = pair.indexOf('=')
      if (at < 1 || line.length > MAX_LENGTH) continue
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      const named = attributeIn(attributes, 'domain')?.toLowerCase().replace(/^\./, '')
      const isExact = named === undefined || !`.${url.hostname}`.endsWith(`.${named}`)
      const domain = isExact ? url.hostname : (named ?? url.hostname)
      const others = this.#cookies.filter((one) => one.name !== name || one.domain !== domain)
      const isOver = value === '' || attributeIn(attributes, 'max-age') === '0'
      const kept = isOver ? others : [...others, { name, value, domain, isExact }]
      this.#cookies = kept.slice(-MAX_COOKIES)
    }
  }

  /** The header for a request. */
  cookieFor({ hostname }: URL): string {
    return this.#cookies
      .filter(({ domain, isExact }) =>
        isExact ? hostname === domain : `.${hostname}`.endsWith(`.${domain}`),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }
}

function attributeIn(attributes: readonly string[], name: string): string | undefined {
  const found = attributes.find((one) => one.toLowerCase().startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}
