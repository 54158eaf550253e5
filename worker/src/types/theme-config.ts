import type { OwnTexts } from '../languages/own-texts.js'

/** One value for the light and the dark, or one for each. */
type Schemed = string | { readonly light?: string; readonly dark?: string }

/**
 * How pages and mails look, and the site that they name (docs/pages.md). A value in the wrong form
 * is left out, and the log names it.
 */
export interface ThemeConfig {
  /**
   * The pages are light, dark, or follow the browser's setting. Default: `AUTH_THEME_COLOR_SCHEME`,
   * else `auto`.
   */
  readonly colorScheme?: 'auto' | 'light' | 'dark'
  /**
   * The site's name, such as `Acme`: in titles, mails, authenticator apps and prompts for passkeys;
   * 1 to 64 characters. Default: `AUTH_THEME_NAME`, else none.
   */
  readonly name?: string
  /** https URL of a logo, or of one for each scheme. Default: `AUTH_THEME_LOGO`, else none. */
  readonly logo?: Schemed
  /** Links at the foot of each page. */
  readonly links?: ThemeLinks
  /** CSS hex color of the main button. Default: `AUTH_THEME_BRAND_COLOR`, else ours. */
  readonly brandColor?: string
  /**
   * CSS hex color of the text on it, if the contrast is sufficient. Default:
   * `AUTH_THEME_BUTTON_TEXT`, else black or white, by the better contrast.
   */
  readonly buttonText?: string
  /** CSS hex colors, by their custom properties. */
  readonly colors?: ThemeColors
  /**
   * The radius of the corners of buttons and fields, and of the rest in proportion: `0` to `24px`
   * or `1.5rem`. Default: `AUTH_THEME_RADIUS`, else `0.625rem`.
   */
  readonly radius?: string
  /**
   * Names of fonts that are installed on the visitor's device, with commas between them. Default: `AUTH_THEME_FONT`, else
   * the system's.
   */
  readonly font?: string
  /**
   * https URL of a picture behind the card, except on narrow screens. Default:
   * `AUTH_THEME_BACKGROUND`, else none.
   */
  readonly background?: Schemed
  /**
   * Your own texts of pages and mails, by language tag: some texts of a built-in language, or
   * another language; its missing texts come from the language nearest to it, or English. In the
   * variable it is JSON. Default: `AUTH_THEME_COPY`, else none.
   *
   * @example
   * copy: { en: { signIn: { title: 'Sign in to Acme' } } }
   */
  readonly copy?: Readonly<Record<string, OwnTexts>>
}

/** Each is an https or mailto URL, or a path of the pages' origin. */
export interface ThemeLinks {
  /** The terms of use. Default: `AUTH_THEME_TERMS_URL`, else none. */
  readonly terms?: string
  /** The page about data protection. Default: `AUTH_THEME_PRIVACY_URL`, else none. */
  readonly privacy?: string
  /** The page or address for help. Default: `AUTH_THEME_HELP_URL`, else none. */
  readonly help?: string
}

/** A color in which a text could not be read gives way to another. */
export interface ThemeColors {
  /** The color behind the card. Default: `AUTH_THEME_PAGE_COLOR`, else ours. */
  readonly page?: Schemed
  /** The card, and its fields and buttons. Default: `AUTH_THEME_CARD_COLOR`, else ours. */
  readonly card?: Schemed
  /** Text. Default: `AUTH_THEME_INK_COLOR`, else ours. */
  readonly ink?: Schemed
  /** Secondary text. Default: `AUTH_THEME_DIM_COLOR`, else ours. */
  readonly dim?: Schemed
  /** Lines around the card and its parts. Default: `AUTH_THEME_LINE_COLOR`, else ours. */
  readonly line?: Schemed
  /**
   * The background of boxes, and of a button under the pointer. Default: `AUTH_THEME_SOFT_COLOR`,
   * else ours.
   */
  readonly soft?: Schemed
}
