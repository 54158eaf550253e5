import { hexColor, paletteOf } from './palette.js'
import {
  cssPicture,
  fontOf,
  imageUrl,
  LINKS,
  linkUrl,
  ofScheme,
  radiusOf,
  SCHEMES,
  type Scheme,
  siteName,
  type Theme,
  type ThemeColor,
} from './theme.js'

type Check = readonly [of: (value: unknown) => unknown, form: string]

const COLOR: Check = [hexColor, 'a hex color such as #3047b8']
const PICTURE = 'an https URL'
const LINK: Check = [linkUrl, 'an https or mailto URL, or a path that begins with one slash']

/** The check of each member that is a single value. */
const PLAIN: Readonly<Partial<Record<keyof Theme, Check>>> = {
  colorScheme: [
    (value) => ['auto', ...SCHEMES].includes(String(value)) || undefined,
    '"auto", "light" or "dark"',
  ],
  name: [
    siteName,
    'a text of 1 to 64 characters, none of which controls anything or changes the direction of writing',
  ],
  brandColor: COLOR,
  buttonText: COLOR,
  radius: [radiusOf, '0, or a length of at most 24px or 1.5rem'],
  font: [
    fontOf,
    'at most ten names of fonts in letters, digits, spaces and hyphens, with commas between them',
  ],
}

/** A line for each value of a theme that the pages leave out, with its path and its form. No value is in it. */
export function themeProblems(theme: Theme): string[] {
  const lines: string[] = []
  const check = (path: string, value: unknown, [of, form]: Check) => {
    if (value === undefined || of(value) !== undefined) return
    lines.push(`theme.${path} must be ${form}, and is left out.`)
  }
  const checkBoth = (path: string, value: unknown, by: Check) => {
    const isPair = typeof value === 'object' && value !== null
    if (!isPair) return check(path, value, by)
    for (const scheme of SCHEMES) check(`${path}.${scheme}`, ofScheme(value, scheme), by)
  }
  for (const [name, by] of Object.entries(PLAIN)) check(name, theme[name as keyof Theme], by)
  checkBoth('logo', theme.logo, [imageUrl, PICTURE])
  checkBoth('background', theme.background, [cssPicture, PICTURE])
  for (const name of LINKS) check(`links.${name}`, theme.links?.[name], LINK)
  for (const [name, value] of Object.entries(theme.colors ?? {}))
    checkBoth(`colors.${name}`, value, COLOR)
  return theme.colors ? [...lines, ...unreadable(theme, theme.colors)] : lines
}

/** A line for each color that the pages replace by another one. */
function unreadable(theme: Theme, colors: NonNullable<Theme['colors']>): string[] {
  const schemes = SCHEMES.filter(
    (scheme) => !SCHEMES.includes(theme.colorScheme as Scheme) || scheme === theme.colorScheme,
  )
  return schemes.flatMap((scheme) => {
    const palette = paletteOf(theme, scheme)
    return Object.entries(colors).flatMap(([name, value]) => {
      const color = hexColor(ofScheme(value, scheme))
      if (color === undefined || color === palette[name as ThemeColor]) return []
      return `theme.colors.${name} cannot be read with the ${scheme} colors beside it, which takes a contrast of 4.5:1 (WCAG 2.2), and another takes its place.`
    })
  })
}
