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
