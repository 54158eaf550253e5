import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'account-import',
  use: 'The route of [`latchkey import`](import.md), while you allow it',
  variables: {
    AUTH_IMPORT_UNTIL:
      'The date until which `POST /import` works, within the next seven days (docs/import.md). Default: it does not work.',
  },
  routes: ['/import'],
  events: ['accounts-imported'],
  warnings: ['import-open'],
} as const satisfies Manifest
