import type { AuthConfig } from '@latchkey/worker'

export const theme: AuthConfig['theme'] = {
  name: 'Acme',
  logo: { light: 'https://acme.example/logo.svg', dark: 'https://acme.example/logo-dark.svg' },
  links: { terms: '/terms', privacy: '/privacy', help: 'mailto:help@acme.example' },
  brandColor: '#0f766e',
}
