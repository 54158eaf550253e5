/** One value for both color schemes, or one for each. */
type Schemed = string | { light?: string | undefined; dark?: string | undefined }

/** How an operator makes the pages their own. Everything is optional; unsafe values are ignored. */
export interface Theme {
  /** `auto` (default) follows the visitor's system. */
  colorScheme?: 'auto' | 'light' | 'dark' | undefined
  /** The name of the site, such as `Acme`: in titles, mails and the names of passkeys. */
  name?: string | undefined
  /** https URLs, shown above the title. */
  logo?: Schemed | undefined
  /** The targets of the links in the foot of each page: https, mailto, or a path. */
  links?: Partial<Record<ThemeLink, string | undefined>> | undefined
  /** `#rgb` or `#rrggbb`: the main button. */
  brandColor?: string | undefined
  /**
   * `#rgb` or `#rrggbb`: its text. Used when its contrast suffices (4.5:1, WCAG 2.2 SC 1.4.3);
   * otherwise black or white.
   */
  buttonText?: string | undefined
  /** `#rgb` or `#rrggbb` for the custom properties of these names. */
  colors?: Partial<Record<ThemeColor, Schemed | undefined>> | undefined
  /** The radius of buttons and fields: `0` to `24px` or `1.5rem`. */
  radius?: string | undefined
  /** Names of installed fonts, with commas between them. */
  font?: string | undefined
  /** https URLs of a picture behind the card. */
  background?: Schemed | undefined
}

export type Scheme = 'light' | 'dark'
export const SCHEMES: readonly Scheme[] = ['light', 'dark']

export type ThemeLink = 'terms' | 'privacy' | 'help'
export const LINKS: readonly ThemeLink[] = ['terms', 'privacy', 'help']

export type ThemeColor = 'page' | 'card' | 'ink' | 'dim' | 'line' | 'soft'

/** The longest address of a theme, in characters. */
const MAX_URL = 2048
/** The longest name, in characters. */
const MAX_NAME = 64
/** The largest radius, in rem: a button is round at its ends. */
const MAX_RADIUS = 1.5

/** Control characters, and characters that change the direction of the text after them. */
const NOT_IN_NAMES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
  /[\0-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\ud800-\udfff](?<![\ud800-\udbff][\udc00-\udfff])(?![\udc00-\udfff])/

/**
 * The name, when it is one: text that stays where it is put. A character that changes the direction
 * of writing would turn the text beside it, such as the address of a mail's sender
 * (CVE-2021-42574).
 *
 * @param most characters, as people count them
 */
export function siteName(value: unknown, most = MAX_NAME): string | undefined {
  // A character has two code units at most, but for spaces around the name.
  if (typeof value !== 'string' || value.length > 4 * most) return undefined
  const name = value.trim()
  return name !== '' && [...name].length <= most && !NOT_IN_NAMES.test(name) ? name : undefined
}

/** The value of a scheme. */
export function ofScheme(value: unknown, scheme: Scheme): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, scheme) : value
}

/** The picture for each color scheme. If one scheme has no picture, it gets the other's. */
export function logoOf({ logo, colorScheme }: Theme): Record<Scheme, string> | undefined {
  const [light, dark] = SCHEMES.map((scheme) => imageUrl(ofScheme(logo, scheme)))
  const either = colorScheme === 'dark' ? (dark ?? light) : (light ?? dark)
  if (either === undefined) return undefined
  return { light: either, dark: (colorScheme === 'light' ? undefined : dark) ?? either }
}

/**
 * The URL when a page may show it as a picture: https, or an inline image if `inline` allows it.
 */
export function imageUrl(value: unknown, inline = false): string | undefined {
  if (typeof value !== 'string') return undefined
  // Scripts in an SVG never run inside <img>.
  if (inline && /^data:image\/[a-z+.-]+[;,]/.test(value)) return value
  return URL.canParse(value) && new URL(value).protocol === 'https:' ? value : undefined
}

/** A picture's URL as CSS has it: nothing in it ends the text that it stands in. */
export function cssPicture(value: unknown): string | undefined {
  const url = imageUrl(value)
  if (url === undefined || url.length > MAX_URL) return undefined
  const safe = new URL(url).href.replace(/[^\w\-.~:/?#[\]@!$&*+,;=%]/g, percentEncoded)
  return `url("${safe}")`
}

/** As a URL does it: brackets, quotes and the backslash, which begins an escape in CSS. */
function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** The URL when a page may link to it: https, an address of mail, or a path of this origin. */
export function linkUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL) return undefined
  const url = URL.parse(value, OWN)
  if (url?.origin === OWN) return value.startsWith('/') ? url.href.slice(OWN.length) : undefined
  return url && /^(?:https:\/\/|mailto:)/.test(value) ? url.href : undefined
}

/** Stands for the origin of the pages, which a theme does not know. */
const OWN = 'https://own.invalid'

/** How round buttons and fields are if no theme says it. In rem. */
export const RADIUS = 0.625

/** A radius in rem, or nothing when it is invalid. */
export function radiusOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, digits, unit] = /^(\d{1,2}(?:\.\d{1,4})?|\.\d{1,4})(px|rem)?$/.exec(value) ?? []
  const size = Number(digits) / (unit === 'px' ? 16 : 1)
  return size <= MAX_RADIUS && (unit !== undefined || size === 0) ? size : undefined
}

/** Names of CSS's own, which stand without quotes. */
const GENERIC =
  /^(?:system-ui|ui-(?:sans-serif|serif|monospace|rounded)|sans-serif|serif|monospace)$/
/** The most names of fonts. */
const MAX_FONTS = 10

/** A list of fonts as CSS has it, or nothing when it is invalid. */
export function fontOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const names = value.split(',', MAX_FONTS + 1).map((name) => name.trim())
  const families = names.map(
    (name) => /^(["']?)([A-Za-z0-9](?:[\w -]{0,62}\w)?)\1$/.exec(name)?.[2],
  )
  if (names.length > MAX_FONTS || families.includes(undefined)) return undefined
  return families.map((name = '') => (GENERIC.test(name) ? name : `"${name}"`)).join(',')
}
