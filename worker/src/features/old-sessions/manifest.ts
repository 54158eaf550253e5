import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'old-sessions',
  use: '[Sessions of another library](move-in.md) become sessions of Latchkey',
  options: ['migrateFrom'],
  events: ['moved-in'],
} as const satisfies Manifest
