import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds } from '../../../../../test/support/holds.js'
import { isDocumentUrl } from './document-url.js'

describe('a metadata document may be at', () => {
  it.each([
    'https://app.example.com/client.json',
    'https://example.com/a',
    'https://example.com/oauth/client-metadata.json',
    'https://example.com/a/b/',
    'https://example.com//a',
    'https://a-b.c--d.example.co.uk/x',
    'https://xn--bcher-kva.example/client',
    'https://example.xn--p1ai/client',
    'https://example.com/a%20b',
    'https://example.com/a;b=c,d/@e!$&()*+',
    'https://localhost.example.com/client',
    'https://local.dev/client',
    'https://notlocalhost.com/client',
    'https://internal.example.com/client',
    'https://arpa.example/client',
    'https://127.0.0.1.example.com/client',
    'https://1.2.3.example/client',
    `https://example.com/${'a'.repeat(235)}`,
  ])('%s', (url) => {
    expect(isDocumentUrl(url)).toBe(true)
  })
})

/** Addresses without a document, by the trick. */
const REFUSED: readonly (readonly [what: string, url: string])[] = [
  ['nothing', ''],
  ['an id', 'spa'],
  ['a path', '/client.json'],
  ['an address without a scheme', '//example.com/client.json'],
  ['http', 'http://example.com/client.json'],
  ['ftp', 'ftp://example.com/client.json'],
  ['a file', 'file:///etc/passwd'],
  ['data', 'data:application/json,{}'],
  ['a blob', 'blob:https://example.com/x'],
  ['a script', 'javascript:fetch("/")'],
  ['a websocket', 'wss://example.com/client'],
  ['a scheme in capitals', 'HTTPS://example.com/client'],
  ['a space before it', ' https://example.com/client'],
  ['a space behind it', 'https://example.com/client '],
  ['a tab within it', 'https://exam\tple.com/client'],
  ['a line break within it', 'https://example.com/cli\nent'],
  ['a line break behind it', 'https://example.com/client\n'],
  ['NUL', 'https://example.com/\0client'],
  ['one slash', 'https:/example.com/client'],
  ['three slashes', 'https:///example.com/client'],
  ['no slash', 'https:example.com/client'],
  ['backslashes', 'https:\\\\example.com\\client'],
  ['a backslash in the path', 'https://example.com/a\\b'],
  ['a backslash behind the host', 'https://example.com\\@evil.example/client'],
  ['no path', 'https://example.com'],
  ['the root', 'https://example.com/'],
  ['a query', 'https://example.com/client?x=1'],
  ['an empty query', 'https://example.com/client?'],
  ['a fragment', 'https://example.com/client#x'],
  ['an empty fragment', 'https://example.com/client#'],
  ['a user', 'https://ada@example.com/client'],
  ['a user and a password', 'https://ada:secret@example.com/client'],
  ['an empty user', 'https://@example.com/client'],
  ['another host as a user', 'https://example.com@evil.example/client'],
  ['its own port', 'https://example.com:443/client'],
  ['another port', 'https://example.com:8443/client'],
  ['an empty port', 'https://example.com:/client'],
  ['a dot segment', 'https://example.com/./client'],
  ['a parent', 'https://example.com/a/../client'],
  ['a parent at the end', 'https://example.com/client/..'],
  ['an encoded parent', 'https://example.com/%2e%2e/client'],
  ['a half encoded parent', 'https://example.com/.%2E/client'],
  ['an encoded dot', 'https://example.com/%2e/client'],
  ['capitals of the host', 'https://Example.com/client'],
  ['an encoded host', 'https://ex%61mple.com/client'],
  ['letters of another script', 'https://bücher.example/client'],
  ['a full-width host', 'https://ｅｘａｍｐｌｅ.com/client'],
  ['an ideographic dot', 'https://example。com/client'],
  ['a soft hyphen', 'https://exam\u00adple.com/client'],
  ['another script in the path', 'https://example.com/ü'],
  ['quotes in the path', 'https://example.com/"client"'],
  ['a dot behind the host', 'https://example.com./client'],
  ['two dots in the host', 'https://example..com/client'],
  ['a dot before the host', 'https://.example.com/client'],
  ['an underscore in the host', 'https://a_b.example.com/client'],
  ['a hyphen before a label', 'https://-a.example.com/client'],
  ['a hyphen behind a label', 'https://a-.example.com/client'],
  ['a label of 64', `https://${'a'.repeat(64)}.com/client`],
  ['a wildcard', 'https://*.example.com/client'],
  ['a host of one label', 'https://intranet/client'],
  ['a host of one letter at its end', 'https://example.c/client'],
  ['more than 255 characters', `https://example.com/${'a'.repeat(236)}`],
  ['localhost', 'https://localhost/client'],
  ['below localhost', 'https://app.localhost/client'],
  ['localhost with a dot', 'https://localhost./client'],
  ['.local', 'https://printer.local/client'],
  ['.internal', 'https://metadata.google.internal/computeMetadata'],
  ['.internal of another cloud', 'https://ip-10-0-0-1.ec2.internal/client'],
  ['home.arpa', 'https://home.arpa/client'],
  ['below home.arpa', 'https://router.home.arpa/client'],
  ['.test', 'https://app.test/client'],
  ['.invalid', 'https://app.invalid/client'],
  ['.onion', 'https://expyuzz4wqqyqhjn.onion/client'],
  ['127.0.0.1', 'https://127.0.0.1/client'],
  ['127.1', 'https://127.1/client'],
  ['this machine as a number', 'https://2130706433/client'],
  ['this machine in hexadecimal', 'https://0x7f000001/client'],
  ['this machine in hexadecimal parts', 'https://0x7f.0.0.0x1/client'],
  ['this machine in octal', 'https://0177.0.0.1/client'],
  ['a name that ends as an address does', 'https://example.0x7f/client'],
  ['a name that ends in a number', 'https://example.1/client'],
  ['any address', 'https://0.0.0.0/client'],
  ['0', 'https://0/client'],
  ['a private address', 'https://192.168.1.1/client'],
  ['another one', 'https://10.0.0.1/client'],
  ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data'],
  ['its number', 'https://2852039166/latest/meta-data'],
  ['a public address', 'https://93.184.216.34/client'],
  ['an address with a dot behind', 'https://93.184.216.34./client'],
  ['an address of full-width digits', 'https://１２７.０.０.１/client'],
  ['::1', 'https://[::1]/client'],
  ['a mapped address', 'https://[::ffff:127.0.0.1]/client'],
  ['a public address of IPv6', 'https://[2606:2800:220:1:248:1893:25c8:1946]/client'],
  ['a link-local address', 'https://[fe80::1%25eth0]/client'],
]

describe('no document is fetched from', () => {
  it.each(REFUSED)('%s', (_, url) => {
    expect(isDocumentUrl(url)).toBe(false)
  })

  it('any of at least eighty addresses', () => {
    expect(new Set(REFUSED.map(([, url]) => url)).size).toBeGreaterThanOrEqual(80)
  })
})

it('each address that is taken is a public name, and every parser reads the same host', async () => {
  const piece = fc.constantFrom(
    ...[
      'https://',
      'http://',
      'example',
      '.',
      'com',
      'localhost',
      'local',
      '127',
      '0x7f',
      '/',
      '\\',
    ],
    ...['@', ':', '443', '#', '?', '%2e', '..', '[', ']', 'a', '-', '_', 'ü', '。', '\t', ' ', '1'],
  )
  const text = fc.array(piece, { maxLength: 9 }).map((parts) => parts.join(''))
  const cases = fc.oneof(
    text,
    text.map((rest) => `https://${rest}`),
    text.map((rest) => `https://example.com/${rest}`),
  )
  await holds(
    3_000,
    fc.property(cases, (url) => {
      if (!isDocumentUrl(url)) return
      const { href, protocol, hostname, port, username, password, search, hash, pathname } =
        new URL(url)
      expect(href).toBe(url)
      expect([protocol, port, username, password, search, hash]).toEqual([
        'https:',
        '',
        '',
        '',
        '',
        '',
      ])
      expect(pathname.length).toBeGreaterThan(1)
      expect(hostname).toMatch(/^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/)
      expect(hostname).not.toMatch(/(?:^|\.)(?:localhost|local)$/)
    }),
  )
})
