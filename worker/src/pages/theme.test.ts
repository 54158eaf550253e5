import { describe, expect, it } from 'vitest'
import { buttonColors, contrast, paletteOf } from './palette.js'
import { stylesheet } from './styles.js'
import {
  cssPicture,
  fontOf,
  imageUrl,
  linkUrl,
  logoOf,
  radiusOf,
  siteName,
  type Theme,
} from './theme.js'
import { themeProblems } from './theme-problems.js'

describe('buttonColors', () => {
  it('chooses black or white, by contrast', () => {
    expect(buttonColors('#000')?.text).toBe('#ffffff')
    expect(buttonColors('#FFD400')?.text).toBe('#000000')
    expect(buttonColors('#3047b8')?.text).toBe('#ffffff')
  })

  it('keeps a wanted text color only if it has the contrast', () => {
    expect(buttonColors('#102a43', '#d9e2ec')?.text).toBe('#d9e2ec')
    expect(buttonColors('#ff5a5f', '#fff')?.text).toBe('#000000')
  })

  it('stays at 4.5:1, also when hovered, for every gray', () => {
    for (let grey = 0; grey < 256; grey++) {
      const hex = `#${grey.toString(16).padStart(2, '0').repeat(3)}`
      const colors = buttonColors(hex)
      if (!colors) throw new Error(`${hex} was refused`)
      expect(buttonColors(colors.fill, colors.text)?.text).toBe(colors.text)
      expect(buttonColors(colors.hover, colors.text)?.text).toBe(colors.text)
    }
  })

  it.each(['red', '#12', '#12345678', '#fff;}*{', 'url(//x)', '#ggg', '#fff\n', '', null, {}, 7])(
    'refuses %j',
    (value) => expect(buttonColors(value)).toBeNull(),
  )
})

describe('imageUrl', () => {
  it('takes https, and inline pictures if the caller allows them', () => {
    expect(imageUrl('https://cdn.example/a.png')).toBe('https://cdn.example/a.png')
    expect(imageUrl('data:image/svg+xml,%3Csvg/%3E', true)).toBeDefined()
    expect(imageUrl('data:image/svg+xml,%3Csvg/%3E')).toBeUndefined()
  })

  it.each(['http://cdn.example/a.png', 'javascript:alert(1)', '/a.png', 'data:text/html,x', '', 7])(
    'refuses %j',
    (value) => expect(imageUrl(value, true)).toBeUndefined(),
  )
})

describe('stylesheet', () => {
  it('follows the system unless the theme says otherwise', () => {
    expect(stylesheet({})).toContain('@media(prefers-color-scheme:dark)')
    expect(stylesheet({ colorScheme: 'dark' })).toMatch(/^:root\{color-scheme:dark;/)
    expect(stylesheet({ colorScheme: 'light' })).not.toContain('prefers-color-scheme')
  })

  it('takes a brand color and no other CSS', () => {
    expect(stylesheet({ brandColor: '#123' })).toContain('--fill:#112233;--text:#ffffff')
    const hostile = '#fff}body{background:url(https://evil.example)'
    expect(stylesheet({ brandColor: hostile, buttonText: hostile })).toBe(stylesheet({}))
    expect(stylesheet({ brandColor: '#123', buttonText: hostile })).not.toContain('evil')
    expect(stylesheet({ colorScheme: hostile as 'dark' })).toBe(stylesheet({}))
  })
})

/** Texts that would be CSS of their own, or end the one style sheet, wherever they got into it. */
const injections = [
  '0;}body{background:url(https://evil.example)}',
  '1rem}*{display:none',
  'red;color:expression(alert(1))',
  '</style><script>alert(1)</script>',
  '"};@import "https://evil.example";"',
  "Inter');@import url(//evil.example)",
  'Inter\\22 ;}',
  'https://evil.example/"),url("https://evil.example',
  'https://evil.example/?a=\\',
  'https://evil.example/?a=\\");}body{display:none}/*',
  "https://evil.example/#');}</style>",
  'calc(1px*99999)',
  'var(--text)',
  'url(javascript:alert(1))',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml,<svg onload=alert(1)>',
]

describe('CSS injection', () => {
  /** The style sheet without its texts, of which none may end early. */
  const bare = (css: string) => css.replace(/"[^"\\\n]*"/g, '""')
  const plain = bare(stylesheet({}))

  it.each(injections)('by a radius or a color: %s', (text) => {
    const both = { light: text, dark: text }
    expect(stylesheet({ radius: text })).toBe(stylesheet({}))
    const names = ['page', 'card', 'ink', 'dim', 'line', 'soft'] as const
    for (const value of [text, both]) {
      const colors = Object.fromEntries(names.map((name) => [name, value]))
      expect(stylesheet({ colors })).toBe(stylesheet({}))
    }
    expect(stylesheet({ colors: text as never })).toBe(stylesheet({}))
  })

  it.each(injections)('by a font: %s', (text) => {
    expect(stylesheet({ font: text })).toBe(stylesheet({}))
    expect(stylesheet({ font: `Inter,${text}` })).toBe(stylesheet({}))
  })

  it.each(injections)('by the address of a background: %s', (text) => {
    for (const background of [text, { light: text, dark: text }]) {
      const css = bare(stylesheet({ background }))
      const rest = css.replaceAll('url("")', 'none').replace(/body footer\{[^}]*\}/, '')
      expect(rest).toBe(plain)
      expect(css).not.toContain('evil')
    }
  })

  it('by a font or a picture that is not text at all', () => {
    for (const value of [{}, [], 7, null, true, { toString: () => 'x' }] as never[]) {
      expect(stylesheet({ radius: value, font: value })).toBe(stylesheet({}))
      expect(bare(stylesheet({ background: value })).includes('url(')).toBe(false)
    }
  })
})

describe('radiusOf', () => {
  it.each([
    ['0', 0],
    ['0px', 0],
    ['8px', 0.5],
    ['.5rem', 0.5],
    ['1.5rem', 1.5],
    ['24px', 1.5],
  ])('%s is %d rem', (text, size) => expect(radiusOf(text)).toBe(size))

  it.each(['25px', '1.6rem', '8', '8em', '-1px', '50%', '1e1px', ' 8px', '8px\n', '', 8])(
    'refuses %j',
    (value) => expect(radiusOf(value)).toBeUndefined(),
  )
})

describe('fontOf', () => {
  it('quotes names, and leaves those of CSS as they are', () => {
    expect(fontOf('Inter')).toBe('"Inter"')
    expect(fontOf(`"Helvetica Neue", 'IBM Plex Sans',serif`)).toBe(
      '"Helvetica Neue","IBM Plex Sans",serif',
    )
    expect(stylesheet({ font: 'Inter' })).toContain('--font:"Inter",system-ui,')
  })

  it.each([
    '',
    ',',
    '"Inter',
    'Inter, ',
    'In/ter',
    'a,'.repeat(10),
    `${'a,'.repeat(10)}a`,
    'x'.repeat(65),
  ])('refuses %j', (value) => expect(fontOf(value)).toBeUndefined())
})

describe('linkUrl', () => {
  it('takes https, mail and paths', () => {
    expect(linkUrl('https://acme.example/terms?a=1#b')).toBe('https://acme.example/terms?a=1#b')
    expect(linkUrl('mailto:help@acme.example')).toBe('mailto:help@acme.example')
    expect(linkUrl('/terms')).toBe('/terms')
  })

  it.each([
    ['script in a link', 'javascript:alert(1)'],
    ['script in a link, with a break', 'java\nscript:alert(1)'],
    ['script in a link, after a space', ' javascript:alert(1)'],
    ['a page in a link', 'data:text/html,<script>alert(1)</script>'],
    ['another origin that looks like a path', '//evil.example'],
    ['another origin behind a backslash', '/\\evil.example'],
    ['another origin behind a tab', '/\t/evil.example'],
    ['a page on this machine', 'file:///etc/passwd'],
    ['a page without encryption', 'http://acme.example'],
    ['a relative path', 'terms'],
    ['the origin that stands for ours', 'https://own.invalid/x'],
    ['no text', {}],
    ['an endless text', `/${'x'.repeat(3000)}`],
  ])('refuses %s', (_, value) => expect(linkUrl(value)).toBeUndefined())
})

describe('siteName', () => {
  it('takes any writing', () => {
    for (const name of ['Acme', 'Crème & Söhne', 'שלום', 'متجر', '日本', '👩‍🚀 Labs']) {
      expect(siteName(` ${name} `)).toBe(name)
    }
  })

  it.each([
    ['CVE-2021-42574, a name that turns the text after it', 'Acme\u202emoc.elgoog'],
    ['an isolate that is not ended', 'Acme\u2066'],
    ['a mark of direction', '\u200fAcme'],
    ['a header of a mail', 'Acme\r\nBcc: all@evil.example'],
    ['what nobody sees', '\u200b'],
    ['NUL', 'Ac\0me'],
    ['half a character', 'Acme \ud83d'],
    ['the other half', '\udc69Acme'],
    ['blanks', '  '],
    ['65 characters', 'x'.repeat(65)],
    ['no text', ['Acme']],
  ])('refuses %s', (_, value) => expect(siteName(value)).toBeUndefined())
})

describe('logoOf', () => {
  const [one, two] = ['https://cdn.example/1.svg', 'https://cdn.example/2.svg']

  it('has one for each scheme, or the same for both', () => {
    expect(logoOf({ logo: one })).toEqual({ light: one, dark: one })
    expect(logoOf({ logo: { light: one, dark: two } })).toEqual({ light: one, dark: two })
    expect(logoOf({ logo: { dark: two } })).toEqual({ light: two, dark: two })
    expect(logoOf({ logo: { light: one, dark: 'http://x.example' } })?.dark).toBe(one)
    expect(logoOf({ logo: 'data:image/png,x' })).toBeUndefined()
    expect(logoOf({})).toBeUndefined()
  })

  it.each(['light', 'dark'] as const)('is that of the one scheme there is: %s', (colorScheme) => {
    const wanted = colorScheme === 'light' ? one : two
    const logo = logoOf({ logo: { light: one, dark: two }, colorScheme })
    expect(logo).toEqual({ light: wanted, dark: wanted })
  })
})

it('cssPicture encodes characters that end a text of CSS', () => {
  expect(cssPicture("https://cdn.example/a b.png?x=(1)&y='\\")).toBe(
    'url("https://cdn.example/a%20b.png?x=%281%29&y=%27%5c")',
  )
})

describe('paletteOf', () => {
  /** Every text of the pages with the grounds that it stands on, as the style sheet has them. */
  const pairs = [
    ['ink', 'card', 4.5],
    ['ink', 'soft', 4.5],
    ['dim', 'card', 4.5],
    ['dim', 'soft', 4.5],
    ['foot', 'page', 4.5],
    ['bad', 'card', 4.5],
    ['bad', 'soft', 4.5],
    ['bad', 'bad-bg', 4.5],
    ['text', 'fill', 4.5],
    ['text', 'hover', 4.5],
    ['edge', 'card', 3],
  ] as const
  const expectReadable = (theme: Theme) => {
    for (const scheme of ['light', 'dark'] as const) {
      const palette = paletteOf(theme, scheme)
      for (const [text, ground, least] of pairs) {
        const ratio = contrast(palette[text], palette[ground])
        expect(
          ratio,
          `${text} on ${ground}, ${scheme}, ${JSON.stringify(theme)}`,
        ).toBeGreaterThanOrEqual(least)
      }
    }
  }

  it('can be read without a theme', () => expectReadable({}))

  it('can be read with any one color of the theme, in every gray', () => {
    for (const name of ['page', 'card', 'ink', 'dim', 'line', 'soft'] as const) {
      for (let grey = 0; grey < 256; grey += 3) {
        expectReadable({ colors: { [name]: `#${grey.toString(16).padStart(2, '0').repeat(3)}` } })
      }
    }
  })

  it('can be read with any mixture of colors', () => {
    const steps = ['00', '55', '80', 'aa', 'ff']
    let turn = 0
    const next = () => {
      turn += 1
      return `#${steps[turn % 5]}${steps[Math.floor(turn / 5) % 5]}${steps[Math.floor(turn / 11) % 5]}`
    }
    for (let i = 0; i < 500; i++) {
      const names = ['page', 'card', 'ink', 'dim', 'line', 'soft'] as const
      const chosen = names.filter((_, at) => (i >> at) % 2 === 0)
      expectReadable({ colors: Object.fromEntries(chosen.map((name) => [name, next()])) })
    }
  })

  it('keeps colors that can be read', () => {
    const colors = {
      page: '#002b36',
      card: '#fdf6e3',
      ink: '#073642',
      dim: '#4a5f66',
      line: '#eee8d5',
      soft: '#eee8d5',
    }
    expect(paletteOf({ colors }, 'light')).toMatchObject(colors)
    expect(paletteOf({ colors: { page: { dark: '#123' } } }, 'light').page).toBe('#f3f4f7')
    expect(paletteOf({ colors: { page: { dark: '#123' } } }, 'dark').page).toBe('#112233')
  })
})

describe('themeProblems', () => {
  const good: Theme = {
    colorScheme: 'auto',
    name: 'Acme',
    logo: { light: 'https://cdn.example/a.svg', dark: 'https://cdn.example/b.svg' },
    links: { terms: '/terms', privacy: 'https://acme.example/p', help: 'mailto:a@acme.example' },
    brandColor: '#123',
    buttonText: '#ffffff',
    colors: { page: '#123', card: { dark: '#000' } },
    radius: '8px',
    font: 'Inter',
    background: 'https://cdn.example/b.jpg',
  }

  it('names nothing that is well', () => {
    expect(themeProblems({})).toEqual([])
    expect(themeProblems(good)).toEqual([])
  })

  it('names each value that is left out, and none of them', () => {
    const lines = themeProblems({
      colorScheme: 'evil' as 'dark',
      name: 'evil\u202e',
      logo: { light: 'http://evil.example', dark: 'https://cdn.example/b.svg' },
      links: { help: 'javascript:evil()' },
      brandColor: 'evil',
      buttonText: 'evil',
      colors: { ink: 'evil', line: { dark: 'evil' } },
      radius: 'evil',
      font: 'evil;',
      background: 'data:image/png,evil',
    })
    expect(lines.map((line) => line.split(' ')[0])).toEqual([
      'theme.colorScheme',
      'theme.name',
      'theme.brandColor',
      'theme.buttonText',
      'theme.radius',
      'theme.font',
      'theme.logo.light',
      'theme.background',
      'theme.links.help',
      'theme.colors.ink',
      'theme.colors.line.dark',
    ])
    expect(lines.join()).not.toContain('evil')
  })

  it('names a color that is too hard to read', () => {
    expect(themeProblems({ colors: { ink: { light: '#1a1a1a', dark: '#fafafa' } } })).toEqual([])
    const [line, ...more] = themeProblems({ colors: { ink: '#1a1a1a' } })
    expect(line).toMatch(/^theme.colors.ink cannot be read with the dark colors/)
    expect(more).toEqual([])
    expect(themeProblems({ colors: { ink: '#1a1a1a' }, colorScheme: 'light' })).toEqual([])
  })
})
