import { textOf } from '@latchkey/session/internal'
import type { Environment, ThemeConfig } from '../types.js'

/** Each variable with the option that it is, and the variable of another value for the dark where there may be one. */
const VARIABLES = [
  ['AUTH_THEME_NAME', 'name'],
  ['AUTH_THEME_LOGO', 'logo', 'AUTH_THEME_LOGO_DARK'],
  ['AUTH_THEME_TERMS_URL', 'links.terms'],
  ['AUTH_THEME_PRIVACY_URL', 'links.privacy'],
  ['AUTH_THEME_HELP_URL', 'links.help'],
  ['AUTH_THEME_COLOR_SCHEME', 'colorScheme'],
  ['AUTH_THEME_BRAND_COLOR', 'brandColor'],
  ['AUTH_THEME_BUTTON_TEXT', 'buttonText'],
  ['AUTH_THEME_RADIUS', 'radius'],
  ['AUTH_THEME_FONT', 'font'],
  ['AUTH_THEME_BACKGROUND', 'background', 'AUTH_THEME_BACKGROUND_DARK'],
  ['AUTH_THEME_PAGE_COLOR', 'colors.page', 'AUTH_THEME_PAGE_COLOR_DARK'],
  ['AUTH_THEME_CARD_COLOR', 'colors.card', 'AUTH_THEME_CARD_COLOR_DARK'],
  ['AUTH_THEME_INK_COLOR', 'colors.ink', 'AUTH_THEME_INK_COLOR_DARK'],
  ['AUTH_THEME_DIM_COLOR', 'colors.dim', 'AUTH_THEME_DIM_COLOR_DARK'],
  ['AUTH_THEME_LINE_COLOR', 'colors.line', 'AUTH_THEME_LINE_COLOR_DARK'],
  ['AUTH_THEME_SOFT_COLOR', 'colors.soft', 'AUTH_THEME_SOFT_COLOR_DARK'],
] as const

/** The theme of the configuration, completed from the environment member by member. */
export function themeOf(theme: ThemeConfig = {}, env: Environment): ThemeConfig {
  let given = known.get(env)
  if (!given) {
    given = fromEnvironment(env)
    known.set(env, given)
  }
  const { links, colors } = given
  return {
    ...over(given, theme),
    ...(links && { links: over(links, theme.links) }),
    ...(colors && { colors: over(colors, theme.colors) }),
  }
}

/** An option that is `undefined` counts as left out. */
function over<Options extends object>(given: Options, own: Options = {} as Options): Options {
  const said = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...given, ...Object.fromEntries(said) }
}

/** A configuration may be made for each request, and the variables of Node cost more than that. */
const known = new WeakMap<Environment, ThemeConfig>()

function fromEnvironment(env: Environment): ThemeConfig {
  const theme: Record<string, unknown> = {}
  for (const [variable, path, forDark] of VARIABLES) {
    const light = textOf(env, variable)
    const dark = forDark && textOf(env, forDark)
    if (light === undefined && dark === undefined) continue
    const [group = '', name] = path.split('.')
    const value = dark === undefined ? light : { light, dark }
    theme[group] = name ? { ...(theme[group] as object), [name]: value } : value
  }
  return theme
}
