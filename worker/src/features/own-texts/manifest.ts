import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'own-texts',
  use: '[Texts of your own](languages.md#texts-of-your-own) on pages and in mails',
  options: ['theme.copy'],
  variables: {
    AUTH_THEME_COPY: 'Your own texts, as JSON: `theme.copy` (docs/languages.md). Default: none.',
  },
} as const satisfies Manifest
