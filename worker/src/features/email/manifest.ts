import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'email',
  use: '[Mails with a link and a code](email.md)',
  options: ['pages.verifyRequest'],
  kinds: ['email'],
  routes: ['/verify-request'],
  script: { source: 'countdown', file: 'countdown-script', does: 'count down' },
  texts: true,
  plugins: {
    emailOTP: 'sign-in by email sends a code with its link (docs/email.md)',
    magicLink: 'use sign-in by email (docs/email.md)',
  },
} as const satisfies Manifest
