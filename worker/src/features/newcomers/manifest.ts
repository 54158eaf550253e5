import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'newcomers',
  use: "Your app learns of a user's first sign-in: `isNewUser`, `trigger: 'signUp'`",
  options: ['pages.newUser'],
} as const satisfies Manifest
