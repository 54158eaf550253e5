/** How an operator makes the pages their own. Everything is optional; unsafe values are ignored. */
export interface Theme {
  /** `auto` (default) follows the visitor's system. */
  colorScheme?: 'auto' | 'light' | 'dark' | undefined
  /** An https URL, shown above the title. */
  logo?: string | undefined
  /** `#rgb` or `#rrggbb`: the main button. */
  brandColor?: string | undefined
  /**
   * `#rgb` or `#rrggbb`: its text. Used when its contrast suffices (4.5:1, WCAG 2.2 SC 1.4.3);
   * otherwise black or white.
   */
  buttonText?: string | undefined
}

/**
 * The colours of pages and mails. Every pair of text and ground is at least 4.5:1, every border of
 * a field at least 3:1. Colours that mails use have six digits, since mail programs know no shorter
 * form.
 */
export const light = {
  page: '#f3f4f7',
  card: '#ffffff',
  ink: '#1a1c22',
  dim: '#5a606c',
  line: '#d5d8df',
  edge: '#80868f',
  soft: '#f3f4f7',
  bad: '#9f1f17',
  'bad-bg': '#fdeeec',
  shade: '#1a1c2214',
  fill: '#3047b8',
  text: '#ffffff',
  hover: '#26399a',
}

export type Palette = Readonly<typeof light>

export const dark: Palette = {
  page: '#0f1115',
  card: '#181b21',
  ink: '#eceef3',
  dim: '#a5abb8',
  line: '#414754',
  edge: '#7b828f',
  soft: '#22262e',
  bad: '#ffb9b0',
  'bad-bg': '#3b1d1c',
  shade: '#0000',
  fill: '#a9b7ff',
  text: '#10142b',
  hover: '#c3cdff',
}

/** The three colours of a filled button, each a checked `#rrggbb`. */
export interface ButtonColors {
  fill: string
  text: string
  hover: string
}

type Rgb = readonly [number, number, number]

/**
 * The colours of a button in a brand's colour, or null when that is no hex colour. The strict form
 * keeps a theme from writing CSS of its own; alpha is refused because the contrast of a see-through
 * colour cannot be known.
 */
export function buttonColors(brandColor: unknown, textColor?: unknown): ButtonColors | null {
  const fill = parseHex(brandColor)
  if (!fill) return null
  const wanted = parseHex(textColor)
  const text = wanted && contrast(fill, wanted) >= 4.5 ? wanted : readableOn(fill)
  // The hover colour moves away from the text's, so that hovering never lowers the contrast.
  const away = readableOn(text)
  const hover = fill.map((part, i) => Math.round(part * 0.86 + (away[i] ?? 0) * 0.14))
  return { fill: toHex(fill), text: toHex(text), hover: toHex(hover) }
}

/**
 * The URL when a page may show it as a picture: https, or an inline image where `inline` allows it.
 */
export function imageUrl(value: unknown, inline = false): string | undefined {
  if (typeof value !== 'string') return undefined
  // Scripts in an SVG never run inside <img>.
  if (inline && /^data:image\/[a-z+.-]+[;,]/.test(value)) return value
  return URL.canParse(value) && new URL(value).protocol === 'https:' ? value : undefined
}

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

function parseHex(value: unknown): Rgb | null {
  if (typeof value !== 'string' || !/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) return null
  const digits = value.length === 4 ? value.replace(/[^#]/g, '$&$&') : value
  const number = Number.parseInt(digits.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

function toHex(rgb: readonly number[]): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** One of black and white always reaches 4.5:1. */
function readableOn(background: Rgb): Rgb {
  return contrast(background, white) >= 4.5 ? white : black
}

/** WCAG 2.2, definition of contrast ratio. */
function contrast(a: Rgb, b: Rgb): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
