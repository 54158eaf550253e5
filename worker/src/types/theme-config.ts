export interface ThemeConfig {
  /** Whether the pages are light, dark, or as the browser prefers. Default `auto`. */
  readonly colorScheme?: 'auto' | 'light' | 'dark'
  /** https URL of a logo. Default: none. */
  readonly logo?: string
  /** CSS hex colour of buttons and links. Default: ours. */
  readonly brandColor?: string
  /** CSS hex colour of the text on buttons. Default: black or white, whichever is read better. */
  readonly buttonText?: string
}
