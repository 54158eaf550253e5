import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'last-way',
  use: 'The sign-in page marks the provider that the browser used last',
  texts: true,
} as const satisfies Manifest
