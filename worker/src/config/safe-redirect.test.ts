import { isPublicSuffix, parseOriginPattern } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { Browser, configWith, locationOf } from '../test-support/browser.js'
import { chosenRedirect, configuredRedirect, rootOf, safeRedirect } from './safe-redirect.js'

const here = 'https://example.com'
const trusted = ['https://friend.example', 'https://*.example.org'].map((text) =>
  parseOriginPattern(text, isPublicSuffix),
)
const check = (target: string, at = here) => safeRedirect(target, at, trusted)

const hostile = [
  '',
  '//evil.com',
  '//example.com/',
  '///evil.com',
  '//evil.com/../example.com',
  '/\\evil.com',
  '\\\\evil.com',
  '\\/evil.com',
  '/\t/evil.com',
  '/\n/evil.com',
  '/\r\n/evil.com',
  '\t//evil.com',
  ' //evil.com',
  ' https://evil.com',
  'https://evil.com',
  'HTTPS://EVIL.COM',
  'https:\\\\evil.com',
  'https:\t//evil.com',
  'http:evil.com',
  'http:/evil.com',
  'http://example.com',
  'https://example.com:8443/',
  'https://example.com@evil.com/',
  'https://user@example.com/',
  'https://:pass@example.com/',
  'https://user:pass@example.com/',
  'https://@evil.com/',
  'https://evil.com#@example.com',
  'https://evil.com?https://example.com',
  'https://evilexample.com',
  'https://example.com.evil.com',
  'https://example.com%2eevil.com',
  'https://evil。com/',
  'https://example。com。evil。com/',
  'https://evil.com\\.friend.example',
  'https://friend.example:8443/',
  'http://friend.example/',
  'https://example.org/',
  'https://evilexample.org/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://example.com/x',
  'file:///etc/passwd',
  'ftp://example.com/',
  'about:blank',
  '/\u0000',
  '/\u007f',
  // Their own origin, and two slashes in the resolved path: Next makes such a target `//evil.com`.
  '/.//evil.com',
  '/..//evil.com',
  '/a/..//evil.com',
  '/%2e//evil.com',
  '/%2E%2e//evil.com',
  '/.%2e//evil.com',
  '/a/%2e%2e///evil.com',
  './/evil.com',
  '..//evil.com',
  'a/..//evil.com',
  './/',
  '/.//',
  'https://example.com//evil.com',
  'https://example.com/..//evil.com',
  'https://example.com/%2e%2e//evil.com?a#b',
  'https:////evil.com/..//x',
  'https:/.//evil.com',
  'https:.//evil.com',
  'https://friend.example//evil.com',
  'https://a.example.org/x/..//evil.com',
]

describe('an open redirect is refused', () => {
  it.each(hostile)('%j', (target) => {
    expect(check(target)).toBeUndefined()
  })
})

describe('a target on our own origin is taken, normalized', () => {
  it.each([
    ['/', 'https://example.com/'],
    ['/inbox?a=1#b', 'https://example.com/inbox?a=1#b'],
    ['inbox', 'https://example.com/inbox'],
    ['/inbox//', 'https://example.com/inbox//'],
    ['?a=//evil.com', 'https://example.com/?a=//evil.com'],
    ['https://example.com/inbox', 'https://example.com/inbox'],
    ['https://example.com:443/', 'https://example.com/'],
    // A relative reference in disguise: it resolves to our own origin, and is sent absolute.
    ['https:evil.com', 'https://example.com/evil.com'],
    ['https:/evil.com', 'https://example.com/evil.com'],
    ['/%5cevil.com', 'https://example.com/%5cevil.com'],
    ['/%2f%2fevil.com', 'https://example.com/%2f%2fevil.com'],
    ['%2f%2fevil.com', 'https://example.com/%2f%2fevil.com'],
    ['/%0d%0aSet-Cookie:x=y', 'https://example.com/%0d%0aSet-Cookie:x=y'],
    // The browser maps these dots to full stops: the host that is compared is the mapped one.
    ['https://example。com/', 'https://example.com/'],
    ['https://friend.example/x', 'https://friend.example/x'],
    ['https://a.example.org/x', 'https://a.example.org/x'],
  ])('%j becomes %s', (target, expected) => {
    expect(check(target)).toBe(expected)
  })

  it('also if our own origin is plain http', () => {
    expect(check('/inbox', 'http://localhost:8787')).toBe('http://localhost:8787/inbox')
    expect(rootOf('http://localhost:8787')).toBe('http://localhost:8787/')
  })

  it('https:evil.com leads to another site from a plain http origin, so it is refused there', () => {
    expect(check('https:evil.com', 'http://localhost:8787')).toBeUndefined()
  })
})

describe('a target that the app names itself', () => {
  it.each([
    ['https://elsewhere.example/x', 'https://elsewhere.example/x'],
    ['/inbox', 'https://example.com/inbox'],
    ['', undefined],
    ['//elsewhere.example', undefined],
    ['/..//elsewhere.example', undefined],
    [`${here}//elsewhere.example`, undefined],
    ['javascript:alert(1)', undefined],
    ['https://user@elsewhere.example/', undefined],
  ])('%j is %s, as a page and as the choice of its callback', (target, expected) => {
    expect(configuredRedirect(target, here)).toBe(expected)
    expect(chosenRedirect(target, here)).toBe(expected)
  })

  it.each([undefined, null, 7, {}, ['/inbox'], new URL(here), `/${'a'.repeat(2_048)}`])(
    'is not a target when the callback returns %j',
    (chosen) => {
      expect(chosenRedirect(chosen, here)).toBeUndefined()
    },
  )
})

it('two slashes in the page of a provider are its own, and the callback of an app names none', () => {
  const page = 'https://id.example//authorize?a=b'
  expect(configuredRedirect(page, here)).toBe(page)
  expect(chosenRedirect(page, here)).toBeUndefined()
})

describe('a target too long for the cookie that carries it', () => {
  it('is refused', () => {
    expect(check(`/${'a'.repeat(2_000)}`)).toBeDefined()
    expect(check(`/${'a'.repeat(2_048 - here.length - 1)}`)).toBeDefined()
    expect(check(`/${'a'.repeat(2_048 - here.length)}`)).toBeUndefined()
  })

  it('is refused as well when only its percent-encoded form is too long', () => {
    expect(check(`/${'é'.repeat(1_000)}`)).toBeUndefined()
  })
})

describe('at the routes', () => {
  it.each(hostile.filter((target) => target !== ''))(
    'sign-out with callbackUrl %j ends at our own root',
    async (callbackUrl) => {
      const response = await new Browser(configWith()).submit('/auth/signout', { callbackUrl })
      expect(response.status).toBe(302)
      const target = new URL(locationOf(response))
      expect(target.origin).toBe('http://localhost:8787')
    },
  )

  it('the sign-in page never repeats a foreign callbackUrl', async () => {
    const page = await new Browser(configWith()).get('/auth/signin?callbackUrl=https://evil.com/x')
    expect(await page.text()).not.toContain('evil.com')
  })
})
