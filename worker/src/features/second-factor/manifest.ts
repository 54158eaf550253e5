import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'second-factor',
  use: '[Authenticator apps and recovery codes](second-factor.md)',
  options: ['secondFactor'],
  members: ['factor'],
  exported: ['factors'],
  methods: {
    resetFactors: {
      takes: ['sub'],
      scope: 'manage',
      event: 'factor-removed',
      summary: 'Take the second factor from a person who has lost it',
    },
  },
  routes: ['/factor', '/factor/setup', '/factor/recovery', '/factor/remove', '/factor/confirm'],
  texts: true,
  events: [
    'factor-set-up',
    'factor-removed',
    'factor-confirmed',
    'recovery-codes-made',
    'recovery-code-used',
  ],
  plugins: {
    twoFactor:
      'second factors are not imported, and people with one do not sign in by their password alone: they sign in another way and set up a second factor here (docs/second-factor.md)',
  },
} as const satisfies Manifest
