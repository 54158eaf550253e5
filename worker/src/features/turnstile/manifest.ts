import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'turnstile',
  use: '[Cloudflare Turnstile](turnstile.md) distinguishes people from programs',
  variables: {
    AUTH_TURNSTILE_SITE_KEY:
      'The site key of Turnstile, which is public (docs/turnstile.md). Default: no Turnstile.',
    AUTH_TURNSTILE_SECRET_KEY: 'The secret key of Turnstile. Default: no Turnstile.',
    AUTH_TURNSTILE_VERIFY_URL:
      "The address that checks a response of Turnstile: https, or http on this machine. Default: Cloudflare's.",
  },
  texts: true,
  denials: ['turnstile'],
  plugins: { captcha: 'docs/turnstile.md' },
} as const satisfies Manifest
