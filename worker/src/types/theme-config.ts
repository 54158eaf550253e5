export interface ThemeConfig {
  readonly colorScheme?: 'auto' | 'light' | 'dark'
  /** https URL of a logo. */
  readonly logo?: string
  /** CSS hex colour. */
  readonly brandColor?: string
  /** CSS hex colour. */
  readonly buttonText?: string
}
