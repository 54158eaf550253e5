import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds } from '../../../../test/support/holds.js'
import { isLoopbackUri, isRedirectUri, redirectUriFor } from './redirect-uri.js'
import type { App } from './settings.js'

function appWith(...redirectUris: string[]): App {
  const rest = { id: 'a', name: 'A', secrets: [], isFirstParty: false, isDevice: false }
  return { ...rest, alg: 'ES256', redirectUris }
}

describe('an app may have', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/callback',
    'https://app.example.com/callback/',
    'https://app.example.com:8443/callback?tenant=1&x=%20',
    'https://app.example.com?a=b',
    'https://App.Example.com/Callback',
    'https://xn--bcher-kva.example/cb',
    'https://[2001:db8::1]/cb',
    'https://localhost/cb',
    'https://localhost:5173/cb',
    'https://app.example.com/a..b/.well/...',
    'https://app.example.com/cb?next=../../x',
    'https://app.example.com/~ada/cb;v=1,2/(a)!$',
    "https://app.example.com/o'neill",
    'https://app.example.com/a@b',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:3000',
    'http://[::1]:49152/cb',
    'http://localhost:5173/callback?x=1',
    'com.example.app:/cb',
    'com.example.app:/oauth/cb?x=1',
    'com.example.app://callback',
    'com.example-app.x:/cb',
    'cursor://cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'myapp:/cb',
    'claude://cb?x=1',
    'vscode+x://cb',
    `https://app.example.com/${'a'.repeat(1_000)}`,
  ])('%s', (text) => {
    expect(isRedirectUri(text)).toBe(true)
    expect(redirectUriFor(appWith(text), text)).toBe(text)
  })
})

describe('no app may have', () => {
  it.each([
    ['nothing', ''],
    ['a path', '/cb'],
    ['an address without a scheme', '//app.example.com/cb'],
    ['a host without a scheme', 'app.example.com/cb'],
    ['a host with a port and no scheme', 'app.example.com:8080/cb'],
    ['plain http elsewhere', 'http://app.example.com/cb'],
    ['plain http of an address', 'http://192.168.0.1/cb'],
    ['another address of this machine', 'http://127.0.0.2/cb'],
    ['any address', 'http://0.0.0.0/cb'],
    ['this machine in hexadecimal', 'http://0x7f000001/cb'],
    ['this machine as a number', 'http://2130706433/cb'],
    ['this machine in short', 'http://127.1/cb'],
    ['this machine in octal', 'http://0177.0.0.1/cb'],
    ['a longer spelling of ::1', 'http://[0:0:0:0:0:0:0:1]/cb'],
    ['this machine, mapped', 'http://[::ffff:127.0.0.1]/cb'],
    ['localhost with a dot', 'http://localhost./cb'],
    ['a host that begins with localhost', 'http://localhost.evil.example/cb'],
    ['a host that begins with the address', 'http://127.0.0.1.evil.example/cb'],
    ['a host below localhost', 'http://evil.localhost/cb'],
    ['localhost in capitals', 'http://LOCALHOST/cb'],
    ['a scheme in capitals', 'HTTPS://app.example.com/cb'],
    ['a fragment', 'https://app.example.com/cb#x'],
    ['an empty fragment', 'https://app.example.com/cb#'],
    ['a user', 'https://ada@app.example.com/cb'],
    ['a user and a password', 'https://ada:secret@app.example.com/cb'],
    ['an empty user', 'https://@app.example.com/cb'],
    ['another host as a user', 'https://app.example.com@evil.example/cb'],
    ['a user of this machine', 'http://evil@127.0.0.1/cb'],
    ['a user behind this machine', 'http://127.0.0.1:80@evil.example/cb'],
    ['a user of a private-use scheme', 'com.example.app://ada@host/cb'],
    ['a wildcard of hosts', 'https://*.example.com/cb'],
    ['a wildcard of paths', 'https://app.example.com/*'],
    ['a wildcard of ports', 'http://localhost:*/cb'],
    ['a parent', 'https://app.example.com/a/../cb'],
    ['a parent at the end', 'https://app.example.com/cb/..'],
    ['a dot', 'https://app.example.com/./cb'],
    ['an encoded parent', 'https://app.example.com/%2e%2e/cb'],
    ['a half encoded parent', 'https://app.example.com/.%2E/cb'],
    ['an encoded dot', 'https://app.example.com/%2e/cb'],
    ['a parent in a private-use scheme', 'com.example.app:/a/../cb'],
    ['a backslash', 'https://app.example.com\\cb'],
    ['a backslash before another host', 'https://app.example.com\\@evil.example/cb'],
    ['backslashes for slashes', 'https:\\\\app.example.com/cb'],
    ['a space', 'https://app.example.com/c b'],
    ['a space before it', ' https://app.example.com/cb'],
    ['a line break behind it', 'https://app.example.com/cb\n'],
    ['a line break within it', 'https://app.example.com/c\r\nSet-Cookie:x=1'],
    ['a tab in the scheme', 'ht\ttps://app.example.com/cb'],
    ['NUL', 'https://app.example.com/\0cb'],
    ['an encoded line break', 'https://app.example.com/cb%0d%0aSet-Cookie:x'],
    ['an encoded NUL', 'https://app.example.com/%00'],
    ['DEL', 'https://app.example.com/\x7f'],
    ['letters of another script', 'https://bücher.example/cb'],
    ['letters that look alike', 'https://аpp.example.com/cb'],
    ['a full-width dot', 'https://app。example.com/cb'],
    ['an encoded host', 'https://app%2eexample.com/cb'],
    ['a lone percent sign', 'https://app.example.com/100%'],
    ['a broken escape', 'https://app.example.com/%zz'],
    ['quotes', 'https://app.example.com/"x"'],
    ['angle brackets', 'https://app.example.com/<script>'],
    ['no host', 'https:///cb'],
    ['one slash', 'https:/app.example.com/cb'],
    ['no slash', 'https:app.example.com/cb'],
    ['an empty port', 'https://app.example.com:/cb'],
    ['a port that there is not', 'https://app.example.com:65536/cb'],
    ['port 0', 'https://app.example.com:0/cb'],
    ['a port with a zero before it', 'http://127.0.0.1:080/cb'],
    ['an address in hexadecimal', 'https://0x7f.1/cb'],
    ['a script', 'javascript:alert(1)'],
    ['a script with a dot', 'javascript:alert(1.5)'],
    ['data', 'data:text/html,x'],
    ['a file', 'file:///etc/passwd'],
    ['a scheme without a dot and without a slash', 'myapp:cb'],
    ['a scheme without a dot in capitals', 'MyApp:/cb'],
    ['a scheme without a dot alone', 'myapp:/'],
    ['a host that no name has', 'https://a;b.example.com/cb'],
    ['a comma in the host', 'https://a,b.example.com/cb'],
    ['a private-use scheme alone', 'com.example.app:'],
    ['a private-use scheme with no path', 'com.example.app:/'],
    ['a private-use scheme without a slash', 'com.example.app:cb'],
    ['a private-use scheme in capitals', 'com.Example.app:/cb'],
    ['a private-use scheme with empty parts', 'com..app:/cb'],
    ['out-of-band', 'urn:ietf:wg:oauth:2.0:oob'],
    ['more than 1,024 characters', `https://app.example.com/${'a'.repeat(1_001)}`],
  ])('%s', (_, text) => {
    expect(isRedirectUri(text)).toBe(false)
  })
})

describe('attack: no app may have a scheme that browsers or systems know', () => {
  it.each([
    ...[
      'javascript',
      'vbscript',
      'data',
      'blob',
      'file',
      'filesystem',
      'about',
      'ftp',
      'ws',
      'wss',
    ],
    ...['mailto', 'tel', 'sms', 'view-source', 'chrome', 'chrome-extension', 'devtools', 'edge'],
    ...['moz-extension', 'resource', 'jar', 'intent', 'android-app', 'content', 'market', 'urn'],
    ...['ms-settings', 'ms-msdt', 'search-ms', 'shell', 'smb', 'ssh', 'telnet', 'web+app', 'http'],
    ...['https', 'itms-apps', 'x-apple.systempreferences', 'isolated-app', 'localhost'],
  ])('%s', (scheme) => {
    for (const rest of ['/cb', '//cb', '//app.example.com/cb']) {
      if (scheme === 'https' && rest.startsWith('//')) continue
      expect(isRedirectUri(`${scheme}:${rest}`)).toBe(false)
    }
  })
})

describe('the redirect URI of a request is one of the app’s to the letter', () => {
  const app = appWith('https://app.example.com/cb', 'https://app.example.com/q?a=1')

  it.each([
    ['another host', 'https://evil.example/cb'],
    ['a host above', 'https://example.com/cb'],
    ['a host below', 'https://x.app.example.com/cb'],
    ['a host with a letter more', 'https://app.example.comx/cb'],
    ['a host behind', 'https://app.example.com.evil.example/cb'],
    ['a dot behind the host', 'https://app.example.com./cb'],
    ['capitals', 'https://app.example.com/CB'],
    ['capitals of the host', 'https://APP.example.com/cb'],
    ['plain http', 'http://app.example.com/cb'],
    ['its own port', 'https://app.example.com:443/cb'],
    ['another port', 'https://app.example.com:8443/cb'],
    ['a slash behind', 'https://app.example.com/cb/'],
    ['two slashes', 'https://app.example.com//cb'],
    ['a path below', 'https://app.example.com/cb/x'],
    ['the path above', 'https://app.example.com/'],
    ['a longer last segment', 'https://app.example.com/cbx'],
    ['a query', 'https://app.example.com/cb?x=1'],
    ['an empty query', 'https://app.example.com/cb?'],
    ['another query', 'https://app.example.com/q?a=2'],
    ['a longer query', 'https://app.example.com/q?a=1&b=2'],
    ['no query', 'https://app.example.com/q'],
    ['a fragment', 'https://app.example.com/cb#x'],
    ['a parent', 'https://app.example.com/x/../cb'],
    ['an encoded letter', 'https://app.example.com/%63b'],
    ['a user', 'https://app.example.com@evil.example/cb'],
    ['a backslash', 'https://evil.example\\@app.example.com/cb'],
    ['a line break behind', 'https://app.example.com/cb\n'],
    ['nothing', ''],
    ['two with a comma', 'https://app.example.com/cb,https://evil.example'],
  ])('attack: %s', (_, text) => {
    expect(redirectUriFor(app, text)).toBeUndefined()
  })

  it('but for the port of this machine', () => {
    const native = appWith('http://127.0.0.1/cb', 'http://[::1]:1/cb', 'http://localhost:3000')
    for (const text of [
      ...['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb'],
      ...['http://[::1]/cb', 'http://[::1]:49152/cb', 'http://localhost', 'http://localhost:8'],
    ]) {
      expect(redirectUriFor(native, text)).toBe(text)
      expect(isLoopbackUri(text)).toBe(true)
    }
  })

  it.each([
    ['at another one of the three hosts', 'http://localhost:3000/cb'],
    ['of another address', 'http://127.0.0.2:3000/cb'],
    ['of no address', 'http://127.0.0.1.evil.example:3000/cb'],
    ['of https', 'https://127.0.0.1:3000/cb'],
    ['with another path', 'http://127.0.0.1:3000/cb2'],
    ['with a query', 'http://127.0.0.1:3000/cb?x'],
    ['with a user', 'http://127.0.0.1:3000@evil.example/cb'],
    ['with a user before it', 'http://x@127.0.0.1:3000/cb'],
    ['with an empty port', 'http://127.0.0.1:/cb'],
    ['with a port that there is not', 'http://127.0.0.1:65536/cb'],
    ['with port 0', 'http://127.0.0.1:0/cb'],
    ['with a port with a zero before it', 'http://127.0.0.1:080/cb'],
    ['in another spelling', 'http://127.1:3000/cb'],
  ])('attack: a port %s', (_, text) => {
    expect(redirectUriFor(appWith('http://127.0.0.1/cb'), text)).toBeUndefined()
  })

  it('attack: https has one port', () => {
    const text = 'https://localhost:9443/cb'
    expect(redirectUriFor(appWith('https://localhost:8443/cb'), text)).toBeUndefined()
  })
})

describe('whatever the text', () => {
  const pieces = [
    ...['https', 'http', 'com.example.app', ':', '//', '/', '\\', '@', '#', '?', '*', '.', '..'],
    ...[
      '%2e',
      '%2F',
      '%5c',
      '%00',
      ' ',
      '\n',
      '\t',
      'app.example.com',
      'evil.example',
      'localhost',
    ],
    ...['127.0.0.1', '[::1]', ':80', ':0', 'cb', 'ü', '%', '&', '=', ';', '[', ']'],
  ]
  const text = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 9 })
    .map((parts) => parts.join(''))
  const mostly = fc.oneof(
    text,
    text.map((rest) => `https://app.example.com${rest}`),
  )

  it('one that is taken leads a browser to the host that is written there, and nothing else of it changes', async () => {
    await holds(
      2_000,
      fc.property(mostly, (uri) => {
        if (!isRedirectUri(uri)) return
        const url = new URL(uri)
        expect([url.username, url.password, url.hash]).toEqual(['', '', ''])
        expect(uri).not.toMatch(/[\s\\*#]/)
        if (!/^https?:/.test(uri)) {
          expect(url.protocol).toMatch(/\./)
          return
        }
        const [, authority = ''] = /^https?:\/\/([^/?]*)/.exec(uri) ?? []
        expect(authority.toLowerCase().replace(/:\d+$/, '')).toBe(url.hostname)
        const rest = uri.slice(`${url.protocol}//${authority}`.length)
        const isRoot = rest === '' || rest.startsWith('?')
        // The parser encodes an apostrophe of a query, and nothing more.
        const inBrowser = url.href.slice(url.origin.length).replaceAll('%27', "'")
        expect(inBrowser).toBe(isRoot ? `/${rest}` : rest)
      }),
    )
  })

  it('a request’s text that is not the app’s is taken only if its port alone differs', async () => {
    const own = ['https://app.example.com/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb']
    const near = fc
      .tuple(fc.constantFrom(...own), fc.nat(25), fc.constantFrom(...pieces))
      .map(([uri, at, piece]) => uri.slice(0, at) + piece + uri.slice(at))
    await holds(
      2_000,
      fc.property(fc.oneof(near, mostly), (uri) => {
        const taken = redirectUriFor(appWith(...own), uri)
        if (taken === undefined || own.includes(uri)) return
        expect(taken).toBe(uri)
        expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d{0,4}\/cb$/)
      }),
    )
  })
})
