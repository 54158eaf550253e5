import { describe, expect, it } from 'vitest'
import { networkOf } from './network.js'

const from = (headers: Record<string, string>) =>
  networkOf(new Request('https://example.com/auth/signin/email', { headers }))
const at = (address: string) => from({ 'cf-connecting-ip': address })

describe('every spelling of an address gives one network', () => {
  it.each([
    ['192.0.2.1', ['192.0.2.1', ' 192.0.2.1 ']],
    ['255.255.255.255', ['255.255.255.255']],
    [
      '192.0.2.1',
      [
        '::ffff:192.0.2.1',
        '::FFFF:192.0.2.1',
        '::ffff:c000:201',
        '::ffff:C000:0201',
        '0:0:0:0:0:ffff:192.0.2.1',
        '0000:0000:0000:0000:0000:ffff:192.0.2.1',
      ],
    ],
    [
      '2001:db8:1:2::/64',
      [
        '2001:db8:1:2:3:4:5:6',
        '2001:DB8:1:2:3:4:5:6',
        '2001:0db8:0001:0002:0003:0004:0005:0006',
        '2001:db8:1:2::',
        '2001:db8:1:2::1',
        '2001:db8:1:2:ffff:ffff:ffff:ffff',
        '2001:db8:1:2::192.0.2.1',
      ],
    ],
    [
      '2001:db8::/64',
      ['2001:db8::1', '2001:db8:0:0::1', '2001:0db8:0000:0000::', '2001:db8::1:0:0:1'],
    ],
    ['2001:db8:0:1::/64', ['2001:db8:0:1::9', '2001:db8:0:1:0:0:0:9', '2001:db8::1:0:0:0:9']],
    ['::/64', ['::', '::1', '0:0:0:0:0:0:0:1', '::192.0.2.1', '::1:ffff:1:2']],
    ['1:2:3:4::/64', ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:8']],
    ['0:2:3:4::/64', ['::2:3:4:5:6:7:8', '0:2:3:4::']],
  ])('%s', (network, addresses) => {
    expect(new Set(addresses.map(at))).toEqual(new Set([network]))
  })
})

it('neighboring networks stay apart', () => {
  const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1', '2001:db9::1']
  expect(new Set(addresses.map(at)).size).toBe(addresses.length)
})

describe('a text that is not exactly one address has no network', () => {
  it.each([
    '',
    'unknown',
    'localhost',
    'example.com',
    // Lists and ports, as in X-Forwarded-For and Forwarded.
    '192.0.2.1, 198.51.100.1',
    '192.0.2.1 198.51.100.1',
    '192.0.2.1:443',
    '[2001:db8::1]',
    '[2001:db8::1]:443',
    '192.0.2.1/24',
    '2001:db8::/64',
    // Zone ids (RFC 4007) are not part of an address.
    'fe80::1%eth0',
    'fe80::1%25eth0',
    // Numbers that a URL parser takes for an IPv4 address.
    '1',
    '3221225985',
    '127.1',
    '0300.0.2.1',
    '192.0.2.01',
    '0xc0.0.2.1',
    '192.0.2.1.',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1.1',
    '.',
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '12345::',
    '::g',
    '::ffff:192.0.2',
    '::ffff:192.0.2.256',
    '::192.0.2.1:1',
    '192.0.2.1@198.51.100.1',
    'user:pass@192.0.2.1',
    '::1]/path',
    '::1]@[::2',
    '192.0.2.1#',
    '192.0.2.1?',
    '192.0.2.1\\',
  ])('%j', (address) => {
    expect(at(address)).toBeUndefined()
  })

  it.each(['0', ':', '1.', '1:', 'f'])('a megabyte of %j', (part) => {
    expect(at(part.repeat(1_000_000 / part.length))).toBeUndefined()
  })

  it('two headers, which arrive as a list', () => {
    const headers = new Headers({ 'cf-connecting-ip': '192.0.2.1' })
    headers.append('cf-connecting-ip', '198.51.100.1')
    expect(networkOf(new Request('https://example.com', { headers }))).toBeUndefined()
  })
})

describe('a header that any client can write is ignored', () => {
  it.each([
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
    'true-client-ip',
    'x-client-ip',
    'cf-connecting-ipv6',
    'cf-pseudo-ipv4',
  ])('%s', (name) => {
    expect(from({ [name]: '192.0.2.1' })).toBeUndefined()
    expect(from({ [name]: '192.0.2.1', 'cf-connecting-ip': '203.0.113.9' })).toBe('203.0.113.9')
  })
})
