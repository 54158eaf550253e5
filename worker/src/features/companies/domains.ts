import { isPublicSuffix, isSharedMailHost } from '@latchkey/host/shared'

/** At least two labels of letters, digits and hyphens (RFC 5890, 2.3.1), in lower case; no address of IPv4. */
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** More parts of a text are not looked at: an address has one. */
const MAX_PARTS = 4
/** Longer texts have no address. In characters. */
const MAX_TEXT = 1_024

/** A domain in lower case and in its ASCII form, as it is compared; `undefined`: the text is not a domain. */
export function domainIn(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 253) return undefined
  // Some signs become an `@` or a slash by this, and others a dot only by the parser.
  const normal = text.normalize('NFKC')
  if (!/^[A-Za-z0-9.\-\P{ASCII}]+$/u.test(normal)) return undefined
  const host = URL.parse(`http://${normal}`)?.hostname.replace(/\.$/, '')
  return host !== undefined && DOMAIN.test(host) ? host : undefined
}

/**
 * The domains of all that looks like an address in a text, in any spelling: an attacker who wants to pass by a
 * company's rule spells their domain in another way.
 */
export function domainsIn(text: unknown): readonly string[] {
  if (typeof text !== 'string' || text.length > MAX_TEXT) return []
  // Other signs become an @ by this.
  const parts = text.normalize('NFKC').split('@').slice(1).slice(-MAX_PARTS)
  return parts.flatMap((part) => {
    // Any other sign ends the domain, for some readers at least.
    const [end = ''] = /^[A-Za-z0-9.\-\P{ASCII}]*/u.exec(part.trim()) ?? []
    return domainIn(end) ?? []
  })
}

/** May a company have a domain? None may have one below which strangers have sites, or at which anybody gets an address. */
export function canCount(domain: string): boolean {
  return !isPublicSuffix(domain) && !isSharedMailHost(domain)
}
