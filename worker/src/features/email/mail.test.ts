import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test-support/english.js'
import { signInMail } from './mail.js'

const TOKEN = '8f3kQ2mZ0pXv9rT1uWy4sBn6cDe7gHj5aLqKiOoPzR'
const NOW = 1_800_000_000_000

const content = {
  from: 'Example <sign-in@example.com>',
  to: 'ada@mail.example',
  mark: 'KQWT',
  isAdding: false,
  url: `https://app.example.com/auth/callback/email?token=${TOKEN}&a=b`,
  code: '482913',
  expires: new Date(NOW + 600_000),
  now: NOW,
  host: 'app.example.com',
  device: {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
    place: 'São Paulo, BR',
  },
  theme: {},
  words: inEnglish,
}

type Content = Parameters<typeof signInMail>[0]
const mail = (changed: Partial<Content> = {}) => signInMail({ ...content, ...changed })

/** The visible text of the HTML. */
function readable(html: string): string {
  const shown = html.replace(/^[\s\S]*?<\/div>/, '').replace(/<[^>]*>/g, (tag) => {
    return /^<\/?(?:span|a)\b/.test(tag) ? '' : '\n'
  })
  const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return shown.replace(/&([#\w]+);/g, (_, name: string) => names[name] ?? '?')
}

const paragraphs = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

describe('the sign-in mail', () => {
  it('has the given sender and recipient, and a subject that names the sign-in', () => {
    const { from, to, subject } = mail()
    expect({ from, to }).toEqual({ from: content.from, to: content.to })
    expect(subject).toBe('Sign in to app.example.com · KQWT')
  })

  it('has the name of the site, and its logo', () => {
    const logo = { light: 'https://cdn.example/a.svg', dark: 'https://cdn.example/b.svg' }
    const { subject, html } = mail({ theme: { name: 'Acme', logo } })
    expect(subject).toBe('Sign in to Acme · KQWT')
    expect(html).toContain('<img src="https://cdn.example/a.svg" alt="Acme"')
    expect(html).not.toContain('b.svg')
    expect(mail({ theme: { logo, colorScheme: 'dark' } }).html).toContain('b.svg')
    expect(mail({ theme: { name: 'Acme' }, isAdding: true }).subject).toBe(
      'Add this address to an account at Acme · KQWT',
    )
  })

  it('has the radius of the theme, and the letter of the name if there is no logo', () => {
    const theme = { name: 'émile', radius: '4px', brandColor: '#0f766e' }
    const { html } = mail({ theme })
    expect([...html.matchAll(/border-radius:(\d+)px/g)].map(([, size]) => size)).toEqual(
      expect.arrayContaining(['4', '6']),
    )
    expect(html).not.toMatch(/border-radius:1[06]px/)
    expect(html).toMatch(/bgcolor="#0f766e" style="[^"]*">É<\/td>/)
    const logo = 'https://cdn.example/a.svg'
    expect(mail({ theme: { ...theme, logo } }).html).not.toContain('É<')
    expect(mail().html).toMatch(/border-radius:16px/)
    expect(mail().html).not.toContain('aria-hidden')
  })

  it.each([
    ['a header of its own', 'Acme\r\nBcc: all@evil.example'],
    ['CVE-2021-42574, text that is read backwards', 'Acme\u202emoc.knab'],
  ])('%s by the name of a site: the host takes its place', (_, name) => {
    const { subject, text, html } = mail({ theme: { name } })
    expect(subject).toBe('Sign in to app.example.com · KQWT')
    expect(text + html).not.toMatch(/Acme|evil|\u202e/)
  })

  it('has the same text in both parts, and only the HTML has a button', () => {
    const { text, html } = mail()
    expect(paragraphs(text)).toEqual([
      'Sign in to app.example.com',
      'Sign in on the device where you read this email:',
      content.url,
      'Or enter this code on the page where you asked for it:',
      '482913',
      'Use the link or the code within 10 minutes. They work only once.',
      'Requested from: Firefox on Windows, São Paulo, BR',
      expect.stringMatching(
        /^If you did not request .* Never share the link or the code with anyone/,
      ),
    ])
    const [heading, byLink, ...rest] = paragraphs(text)
    expect(paragraphs(readable(html))).toEqual([heading, byLink, 'Sign in', ...rest])
  })

  it('shows neither code nor link in subject and beginning, which a locked screen shows', () => {
    const { subject, text, html } = mail()
    const beginning = /<div style="display:none[^>]*>([^<]*)<\/div>/.exec(html)?.[1] ?? ''
    expect(beginning).toMatch(/^Requested from: Firefox on Windows, São Paulo, BR\. /)
    for (const shown of [subject, beginning, text.slice(0, 120)]) {
      expect(shown).not.toMatch(/482|913/)
      expect(shown).not.toContain(TOKEN)
    }
  })

  it('has only links to the one URL, which is also visible as text', () => {
    const { html } = mail()
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
    expect(links).toEqual(Array(2).fill(content.url.replace('&', '&amp;')))
  })

  it.each([
    [600_000, '10 minutes'],
    [599_400, '10 minutes'],
    [61_000, '1 minute'],
    [1_000, '1 minute'],
    [-5_000, '1 minute'],
    [119 * 60_000, '119 minutes'],
    [7_200_000, '2 hours'],
    [86_400_000, '24 hours'],
  ])('%d ms are %s', (milliseconds, words) => {
    const { text, html } = mail({ expires: new Date(NOW + milliseconds) })
    expect(text).toContain(`within ${words}.`)
    expect(html).toContain(`within ${words}.`)
  })

  it('works without a place and without a known device', () => {
    expect(mail({ device: {} }).text).toContain('\n\nRequested from: Unknown device\n\n')
  })

  it('does not contain the address that it goes to', () => {
    const { subject, text, html } = mail({ to: 'click-evil.example@mail.example' })
    expect(subject + text + html).not.toContain('evil')
  })
})

describe('the HTML of the mail', () => {
  it('loads nothing and runs nothing', () => {
    const { html } = mail()
    expect(html).not.toMatch(
      /<(?:script|img|link|iframe|object|form|input)|@import|url\(|\son\w+=/i,
    )
  })

  it('shows the theme’s logo, with a text for readers that do not load it', () => {
    const { html } = mail({ theme: { logo: 'https://cdn.example.com/logo.png' } })
    expect(html.match(/<img[^>]*>/g)).toEqual([
      expect.stringContaining(' src="https://cdn.example.com/logo.png" alt="app.example.com" '),
    ])
  })

  it.each([
    'http://cdn.example.com/logo.png',
    'data:image/svg+xml,x',
    'javascript:alert(1)',
    '//x',
  ])('shows no logo from %s', (logo) => {
    expect(mail({ theme: { logo } }).html).not.toContain('<img')
  })

  it('has the brand’s button in both schemes, with readable text', () => {
    const { html } = mail({ theme: { brandColor: '#ffcc00', buttonText: '#ffffff' } })
    expect(html).toContain('bgcolor="#ffcc00"')
    expect(html).toContain('background:#ffcc00;color:#000000;')
    expect(html).toContain('.fill{background:#ffcc00!important;color:#000000!important}')
  })

  it('follows the reader’s scheme unless the theme has one of its own', () => {
    const auto = mail().html
    expect(auto).toContain('<meta name="color-scheme" content="light dark"/>')
    expect(auto).toContain('@media(prefers-color-scheme:dark)')
    expect(auto).toContain('<body class="page" style="margin:0;background:#f3f4f7">')
    for (const [colorScheme, page] of [
      ['light', '#f3f4f7'],
      ['dark', '#0f1115'],
    ] as const) {
      const { html } = mail({ theme: { colorScheme } })
      expect(html).toContain(`<meta name="color-scheme" content="${colorScheme}"/>`)
      expect(html).toContain(`:root{color-scheme:${colorScheme}}`)
      expect(html).toContain(`<body class="page" style="margin:0;background:${page}">`)
      expect(html).not.toContain('@media')
    }
  })

  it('has the code as six digits in a row, for copying', () => {
    expect(readable(mail().html)).toMatch(/^482913$/m)
  })
})

const tagsOf = (html: string) => html.match(/<\/?[a-z!][^\s/>]*/gi)?.sort() ?? []

/** The style sheet, without the colors. */
const stylesOf = (html: string) =>
  /<style>(.*)<\/style>/.exec(html)?.[1]?.replace(/#[\da-f]{6}/g, '#')

describe('hostile values', () => {
  const attack = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`

  it.each<[string, Partial<Content>]>([
    ['host', { host: attack }],
    ['code', { code: attack }],
    ['url', { url: `https://app.example.com/${attack}` }],
    ['place', { device: { place: attack } }],
    ['user agent', { device: { userAgent: attack } }],
    ['logo', { theme: { logo: `https://cdn.example.com/${attack}` } }],
    ['brand colour', { theme: { brandColor: `#fff;}${attack}` } }],
    ['button text', { theme: { brandColor: '#fff', buttonText: attack } }],
    ['scheme', { theme: { colorScheme: attack as 'dark' } }],
  ])('a %s cannot bring markup or styles of its own', (_, changed) => {
    const logo = changed.theme?.logo === undefined ? [] : ['<img']
    const attacked = mail(changed).html
    expect(tagsOf(attacked)).toEqual([...tagsOf(mail().html), ...logo].sort())
    expect(attacked.replace(/"[^"]*"/g, '')).not.toMatch(/<[^>]*onerror/)
    expect(stylesOf(attacked)).toBe(stylesOf(mail().html))
  })

  it('a host cannot begin another header line in the subject', () => {
    const { subject } = mail({ host: 'app.example.com\r\nBcc: eve@evil.example' })
    expect(subject).toBe('Sign in to app.example.com??Bcc: eve@evil.example · KQWT')
  })

  it('a place cannot write a paragraph, a link or text in another direction', () => {
    const place = 'Berlin\r\n\r\nYour account is locked: https://evil.example/x \u202Emoc'
    const lines = paragraphs(mail({ device: { place } }).text)
    expect(lines).toHaveLength(8)
    expect(lines[6]).toBe(
      'Requested from: Unknown device, Berlin Your account is locked https evil. example x moc',
    )
    const long = mail({ device: { place: 'y'.repeat(100_000) } }).text
    expect(long.length).toBeLessThan(1_000)
  })

  it.each([
    "Xi'an, CN",
    'St. Louis, US',
    'Baden-Baden (West), DE',
    '東京, JP',
    'Mülheim, DE',
    'T1',
  ])('a place such as %s is unchanged', (place) => {
    expect(mail({ device: { place } }).text).toContain(`, ${place}\n`)
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', '/auth/callback', '', `mailto:${TOKEN}`])(
    'a link to %s makes no mail, and the error does not quote the link',
    (url) => {
      const error = (() => {
        try {
          return mail({ url })
        } catch (thrown) {
          return thrown
        }
      })()
      expect(error).toBeInstanceOf(Error)
      expect({ ...(error as Error) }).toEqual({})
      expect((error as Error).message).toBe(
        'The link of a sign-in email is not an http or https URL.',
      )
    },
  )

  it('a link cannot add a second line to the text', () => {
    const { text } = mail({ url: 'https://app.example.com/x\r\n\r\nSend your code to eve' })
    expect(paragraphs(text)).toHaveLength(8)
    expect(text).toContain('\nhttps://app.example.com/xSend%20your%20code%20to%20eve\n')
  })
})
