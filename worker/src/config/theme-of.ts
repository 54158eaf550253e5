import { textOf } from '@latchkey/host/shared'
import type { Environment, ThemeConfig } from '../types.js'

/** Each variable with the option that it is, and the variable of another value for the dark if there may be one. */
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

/** A color scheme is a word, and no color. */
const COLOR = /_COLOR(?!_SCHEME)|_TEXT$/

/** The theme of the configuration, completed from the environment member by member. */
export function themeOf(theme: ThemeConfig = {}, env: Environment): ThemeConfig {
  const { base } = readOnce(env)
  const { links, colors } = base
  return {
    ...over(base, theme),
    ...(links && { links: over(links, theme.links) }),
    ...(colors && { colors: over(colors, theme.colors) }),
  }
}

/** An option that is `undefined` counts as left out. */
function over<Options extends object>(base: Options, own: Options = {} as Options): Options {
  const said = Object.entries(own).filter(([, value]) => value !== undefined)
  return { ...base, ...Object.fromEntries(said) }
}

/**
 * A warning for each variable of a color that is set but empty. `wrangler dev` and Node silently
 * read the `#` of a color without quotes as the beginning of a comment.
 */
export function emptyColors(env: Environment): readonly string[] {
  return readOnce(env).empty.map(
    (name) =>
      `${name} is empty. In .dev.vars and .env a color needs quotes, since # begins a comment: ${name}="#0f766e".`,
  )
}

/** The theme of the variables, and the names of empty color variables. */
interface FromVariables {
  readonly base: ThemeConfig
  readonly empty: readonly string[]
}

/** A configuration may be made for each request, and the variables of Node cost more than that. */
const themes = new WeakMap<Environment, FromVariables>()

function readOnce(env: Environment): FromVariables {
  const variables = themes.get(env) ?? fromEnvironment(env)
  themes.set(env, variables)
  return variables
}

function fromEnvironment(env: Environment): FromVariables {
  const theme: Record<string, unknown> = {}
  const empty: string[] = []
  for (const [variable, path, forDark] of VARIABLES) {
    const light = textOf(env, variable)
    const dark = forDark && textOf(env, forDark)
    for (const name of [variable, forDark]) {
      if (name && COLOR.test(name) && env[name] === '') empty.push(name)
    }
    if (light === undefined && dark === undefined) continue
    const [group = '', name] = path.split('.')
    const value = dark === undefined ? light : { light, dark }
    theme[group] = name ? { ...(theme[group] as object), [name]: value } : value
  }
  return { base: theme, empty }
}
