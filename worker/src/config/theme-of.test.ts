import { describe, expect, it } from 'vitest'
import { themeProblems } from '../pages/theme-problems.js'
import { themeOf } from './theme-of.js'

/** Every variable, with a value of its own. */
const EVERY = {
  AUTH_THEME_NAME: 'Acme',
  AUTH_THEME_COLOR_SCHEME: 'dark',
  AUTH_THEME_BRAND_COLOR: '#112233',
  AUTH_THEME_BUTTON_TEXT: '#ffffff',
  AUTH_THEME_RADIUS: '4px',
  AUTH_THEME_FONT: 'Inter',
  AUTH_THEME_LOGO: 'https://cdn.example/light.svg',
  AUTH_THEME_LOGO_DARK: 'https://cdn.example/dark.svg',
  AUTH_THEME_BACKGROUND: 'https://cdn.example/light.jpg',
  AUTH_THEME_BACKGROUND_DARK: 'https://cdn.example/dark.jpg',
  AUTH_THEME_TERMS_URL: '/terms',
  AUTH_THEME_PRIVACY_URL: '/privacy',
  AUTH_THEME_HELP_URL: 'mailto:help@acme.example',
  AUTH_THEME_PAGE_COLOR: '#eeeeee',
  AUTH_THEME_PAGE_COLOR_DARK: '#111111',
  AUTH_THEME_CARD_COLOR_DARK: '#000000',
  AUTH_THEME_INK_COLOR: '#fefefe',
  AUTH_THEME_DIM_COLOR: '#dddddd',
  AUTH_THEME_LINE_COLOR: '#444444',
  AUTH_THEME_SOFT_COLOR_DARK: '#202020',
}

const THEME = {
  name: 'Acme',
  colorScheme: 'dark',
  brandColor: '#112233',
  buttonText: '#ffffff',
  radius: '4px',
  font: 'Inter',
  logo: { light: 'https://cdn.example/light.svg', dark: 'https://cdn.example/dark.svg' },
  background: { light: 'https://cdn.example/light.jpg', dark: 'https://cdn.example/dark.jpg' },
  links: { terms: '/terms', privacy: '/privacy', help: 'mailto:help@acme.example' },
  colors: {
    page: { light: '#eeeeee', dark: '#111111' },
    card: { dark: '#000000' },
    ink: '#fefefe',
    dim: '#dddddd',
    line: '#444444',
    soft: { dark: '#202020' },
  },
} as const

describe('themeOf', () => {
  it('reads every variable', () => {
    const theme = themeOf(undefined, EVERY)
    expect(theme).toEqual(THEME)
    expect(themeProblems(theme)).toEqual([])
  })

  it('has nothing without variables and options', () => {
    expect(themeOf(undefined, { AUTH_THEME_NAME: '' })).toEqual({})
  })

  it('counts an option that is undefined as left out', () => {
    const undefinedName = { name: undefined, links: { terms: undefined } } as object
    expect(themeOf(undefinedName, EVERY)).toEqual(THEME)
  })

  it('leaves what the configuration says, member by member', () => {
    const theme = themeOf(
      { name: 'Own', logo: 'https://own.example', links: { help: '/h' }, colors: { ink: '#000' } },
      EVERY,
    )
    expect(theme).toEqual({
      ...THEME,
      name: 'Own',
      logo: 'https://own.example',
      links: { ...THEME.links, help: '/h' },
      colors: { ...THEME.colors, ink: '#000' },
    })
  })
})
