import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'app-proofs',
  use: "An app that forwards [proves itself](deploy.md#apps-that-forward-by-url), and sends its visitor's address",
  variables: {
    AUTH_APP_KEYS:
      'The keys of apps that forward and do not have the secret: `https://app.example.com=<key>`, with commas between them (docs/deploy.md). Default: none.',
  },
  warnings: ['app-proof'],
} as const satisfies Manifest
