import { describe, expect, it } from 'vitest'
import { stylesheet } from './styles.js'
import { buttonColors, imageUrl } from './theme.js'

describe('buttonColors', () => {
  it('chooses black or white, by contrast', () => {
    expect(buttonColors('#000')?.text).toBe('#ffffff')
    expect(buttonColors('#FFD400')?.text).toBe('#000000')
    expect(buttonColors('#3047b8')?.text).toBe('#ffffff')
  })

  it('keeps a wanted text colour only where it has the contrast', () => {
    expect(buttonColors('#102a43', '#d9e2ec')?.text).toBe('#d9e2ec')
    expect(buttonColors('#ff5a5f', '#fff')?.text).toBe('#000000')
  })

  it('stays at 4.5:1, also when hovered, for every grey', () => {
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
  it('takes https, and inline pictures where the caller allows them', () => {
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
  it('follows the system unless told otherwise', () => {
    expect(stylesheet({})).toContain('@media(prefers-color-scheme:dark)')
    expect(stylesheet({ colorScheme: 'dark' })).toMatch(/^:root\{color-scheme:dark;/)
    expect(stylesheet({ colorScheme: 'light' })).not.toContain('prefers-color-scheme')
  })

  it('takes a brand colour and no other CSS', () => {
    expect(stylesheet({ brandColor: '#123' })).toContain('--fill:#112233;--text:#ffffff')
    const hostile = '#fff}body{background:url(https://evil.example)'
    expect(stylesheet({ brandColor: hostile, buttonText: hostile })).toBe(stylesheet({}))
    expect(stylesheet({ brandColor: '#123', buttonText: hostile })).not.toContain('evil')
    expect(stylesheet({ colorScheme: hostile as 'dark' })).toBe(stylesheet({}))
  })
})
