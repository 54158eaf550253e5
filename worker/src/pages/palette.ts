import { ofScheme, type Scheme, type Theme, type ThemeColor } from './theme.js'

/**
 * The colors of pages and mails. Every pair of text and ground is at least 4.5:1, every border of a
 * field at least 3:1. Colors that mails use have six digits, since mail programs know no shorter
 * form.
 */
const light = {
  page: '#f3f4f7',
  card: '#ffffff',
  ink: '#1a1c22',
  dim: '#5a606c',
  line: '#d5d8df',
  edge: '#80868f',
  soft: '#f3f4f7',
  foot: '#5a606c',
  focus: '#3047b8',
  bad: '#9f1f17',
  'bad-bg': '#fdeeec',
  shade: '#1a1c2214',
  fill: '#3047b8',
  text: '#ffffff',
  hover: '#26399a',
}

export type Palette = Readonly<typeof light>

const dark: Palette = {
  page: '#0f1115',
  card: '#181b21',
  ink: '#eceef3',
  dim: '#a5abb8',
  line: '#414754',
  edge: '#7b828f',
  soft: '#22262e',
  foot: '#a5abb8',
  focus: '#a9b7ff',
  bad: '#ffb9b0',
  'bad-bg': '#3b1d1c',
  shade: '#0000',
  fill: '#a9b7ff',
  text: '#10142b',
  hover: '#c3cdff',
}

/** The three colors of a filled button, each a checked `#rrggbb`. */
export interface ButtonColors {
  fill: string
  text: string
  hover: string
}

/** The colors of a button in a brand's color, or null when that is not a hex color. */
export function buttonColors(brandColor: unknown, textColor?: unknown): ButtonColors | null {
  const fill = hexColor(brandColor)
  if (fill === undefined) return null
  const wanted = hexColor(textColor)
  const text = wanted && contrast(fill, wanted) >= OF_TEXT ? wanted : readableOn(fill)
  // The hover color moves away from the text's, so that hovering never lowers the contrast.
  return { fill, text, hover: mixed(fill, readableOn(text), 0.14) }
}

/** Least contrast of the border of a field and its ground (WCAG 2.2, SC 1.4.11). */
const OF_EDGE = 3

/**
 * The colors of a scheme, with the theme's own. If a text color of the theme cannot be read on its
 * grounds, ours is used, or at last black or white. The same holds for a text color of ours on the
 * theme's grounds.
 */
export function paletteOf(theme: Theme, scheme: Scheme): Palette {
  const [ours, others] = scheme === 'dark' ? [dark, light] : [light, dark]
  const brand = buttonColors(theme.brandColor, theme.buttonText)
  if (!theme.colors) return { ...ours, ...brand, ...ringOf({ ...ours, ...brand }) }
  const own = (name: ThemeColor) => hexColor(ofScheme(theme.colors?.[name], scheme))
  const page = own('page') ?? ours.page
  const card = own('card') ?? ours.card
  const ink = readable([card], own('ink'), ours.ink)
  const isOurs = card === ours.card && ink === ours.ink
  const grounds = [own('soft'), isOurs ? ours.soft : mixed(card, ink, 0.06)]
  const soft = grounds.find((ground) => ground && contrast(ink, ground) >= OF_TEXT) ?? card
  const dim = readable([card, soft], own('dim'), ours.dim, mixed(ink, card, 0.25), ink)
  const alarm = [ours, others].find(({ bad }) => isReadable(bad, [card, soft]))
  const palette = {
    ...ours,
    page,
    card,
    ink,
    dim,
    line: own('line') ?? (isOurs ? ours.line : mixed(card, ink, 0.18)),
    edge: contrast(ours.edge, card) >= OF_EDGE ? ours.edge : dim,
    soft,
    foot: readable([page], dim, ink),
    bad: alarm?.bad ?? ink,
    'bad-bg': alarm?.['bad-bg'] ?? soft,
    ...brand,
  }
  return { ...palette, ...ringOf(palette) }
}

/** The ring around what has the focus: the brand's color if it is seen (WCAG 2.2, 2.4.13), otherwise that of text. */
function ringOf({ fill, ink, card, soft }: Palette): Pick<Palette, 'focus'> {
  const isSeen = [card, soft].every((ground) => contrast(fill, ground) >= OF_EDGE)
  return { focus: isSeen ? fill : ink }
}

/**
 * The first of these colors that can be read on all grounds; otherwise black or white, whichever can
 * be read on the first ground.
 */
function readable(grounds: [string, ...string[]], ...colors: (string | undefined)[]): string {
  const found = colors.find((color) => color !== undefined && isReadable(color, grounds))
  return found ?? readableOn(grounds[0])
}

function isReadable(color: string, grounds: readonly string[]): boolean {
  return grounds.every((ground) => contrast(color, ground) >= OF_TEXT)
}

/**
 * A color as `#rrggbb`, or nothing when it is not a hex color. The strict form keeps a theme from
 * writing CSS of its own; alpha is refused because the contrast of a see-through color cannot be
 * known.
 */
export function hexColor(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value)) return undefined
  return (value.length === 4 ? value.replace(/[^#]/g, '$&$&') : value).toLowerCase()
}

/** WCAG 2.2, definition of contrast ratio. Both colors are `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [x, y] = [luminance(one), luminance(other)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

/** Least contrast of a text and its ground (WCAG 2.2, SC 1.4.3). */
export const OF_TEXT = 4.5

/** Black or white: one of the two always reaches 4.5:1. */
export function readableOn(ground: string): string {
  return contrast(ground, WHITE) >= OF_TEXT ? WHITE : '#000000'
}

const WHITE = '#ffffff'

/** The first color with this share of the second one in it. */
export function mixed(one: string, other: string, share: number): string {
  const more = partsOf(other)
  const parts = partsOf(one).map((part, i) => part * (1 - share) + (more[i] ?? 0) * share)
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function partsOf(color: string): number[] {
  const number = Number.parseInt(color.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

function luminance(color: string): number {
  const [r, g, b] = partsOf(color).map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
