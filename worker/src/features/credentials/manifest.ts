import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'credentials',
  use: '[User names and passwords](passwords.md)',
  kinds: ['credentials'],
  warnings: ['credentials-without-fields'],
  texts: true,
} as const satisfies Manifest
