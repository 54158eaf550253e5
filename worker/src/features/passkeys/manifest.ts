import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'passkeys',
  use: '[Passkeys](passkeys.md)',
  kinds: ['webauthn'],
  ids: { webauthn: 'passkey' },
  members: ['handle'],
  exported: ['passkeys'],
  routes: ['/account/passkeys', '/passkey/options'],
  texts: true,
  script: { source: 'passkeys', file: 'page-script', does: 'offer passkeys' },
  warnings: ['passkey-counter'],
  plugins: { passkey: 'passkeys are not imported: docs/passkeys.md' },
} as const satisfies Manifest
