import type { ThemeConfig } from '@latchkey/worker/types'

/** The site of the shown pages. */
export const SITE = 'https://acme.example'

/** For each property that docs/pages.md describes, a theme in which it is what one sees. */
export const PICTURED_THEMES: Readonly<Record<string, ThemeConfig>> = {
  name: { name: 'Acme' },
  logo: { name: 'Acme', logo: { light: `${SITE}/logo.svg`, dark: `${SITE}/logo-dark.svg` } },
  links: { name: 'Acme', links: { terms: '/terms', privacy: '/privacy', help: '/help' } },
  colorScheme: { name: 'Acme', colorScheme: 'dark' },
  brandColor: { name: 'Acme', brandColor: '#0f766e' },
  buttonText: { name: 'Acme', brandColor: '#fde047', buttonText: '#713f12' },
  colors: {
    name: 'Acme',
    brandColor: '#268bd2',
    colors: {
      page: { light: '#eee8d5', dark: '#002b36' },
      card: { light: '#fdf6e3', dark: '#073642' },
      ink: { light: '#073642', dark: '#fdf6e3' },
    },
  },
  radius: { name: 'Acme', radius: '0' },
  font: { name: 'Acme', font: 'Georgia, DejaVu Serif, serif' },
  background: { name: 'Acme', background: { light: `${SITE}/day.svg`, dark: `${SITE}/night.svg` } },
}
