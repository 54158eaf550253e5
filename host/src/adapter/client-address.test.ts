import { describe, expect, test } from 'vitest'
import { clientOf } from './client-address.js'
import type { HostRequest } from './host-request.js'

const asked = (
  client: string | undefined,
  headers: Record<string, string> = {},
  { isFromProxy = false, trustsProxy = false, hasReadClient = false } = {},
) => {
  const header = (name: string) => headers[name]
  return clientOf(
    { client, header, isFromProxy, hasReadClient } as unknown as HostRequest,
    trustsProxy,
  )
}
const forwarded = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9' }

describe('a client’s address', () => {
  test.each(['203.0.113.9', '2001:db8::1', '172.32.0.1', '11.0.0.1', '100.128.0.1', 'fec0::1'])(
    '%s is its own, whatever headers it sends, if no proxy is trusted',
    (client) => {
      for (const headers of [
        forwarded,
        { forwarded: 'for=192.0.2.1' },
        { 'x-real-ip': '192.0.2.1' },
      ]) {
        expect(asked(client, headers)).toEqual({ client, isProxy: false, mayBeProxy: true })
      }
      expect(asked(client)).toEqual({ client, isProxy: false })
    },
  )

  test.each(['203.0.113.77', '2001:db8::1', '10.0.0.1', undefined])(
    'behind a trusted proxy at %s is the last one that the proxy names',
    (client) => {
      const found = asked(client, forwarded, { trustsProxy: true })
      expect(found).toEqual({ client: '203.0.113.9', isProxy: false })
    },
  )

  test.each([
    ['203.0.113.9:50123', '203.0.113.9'],
    ['[2001:db8::1]:50123', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
    ['unknown', 'unknown'],
  ])('with the port that some proxies add is one visitor: %s', (named, client) => {
    const headers = { 'x-forwarded-for': `6.6.6.6, ${named}` }
    const found = { client, isProxy: false }
    expect(asked('10.0.0.1', headers, { trustsProxy: true })).toEqual(found)
    expect(asked(named, headers, { isFromProxy: true })).toEqual(found)
    expect(asked(named, headers, { hasReadClient: true })).toEqual(found)
  })

  test('that the framework has read from a header of its proxy is taken as it is', () => {
    const found = asked('198.51.100.1', forwarded, { trustsProxy: true, hasReadClient: true })
    expect(found).toEqual({ client: '198.51.100.1', isProxy: false })
  })

  test.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '172.31.255.1', '100.127.0.1'])(
    '%s is a proxy’s, if the request says that it was forwarded',
    (client) => {
      for (const address of [client, `::ffff:${client}`]) {
        expect(asked(address, forwarded)).toEqual({ client: address, isProxy: true })
        expect(asked(address)).toEqual({ client: address, isProxy: false })
      }
    },
  )

  test.each(['::1', 'fd00::1', 'fc12:3::1', 'fe80::1', 'FEBF::1'])('%s too', (client) => {
    expect(asked(client, { forwarded: 'for=192.0.2.1' }).isProxy).toBe(true)
    expect(asked(client, { 'x-real-ip': '192.0.2.1' }).isProxy).toBe(true)
  })

  test('behind a trusted proxy is the last one that it names, since others are sent to it', () => {
    const trusts = { trustsProxy: true }
    expect(asked('10.0.0.1', forwarded, trusts)).toEqual({ client: '203.0.113.9', isProxy: false })
    expect(asked('10.0.0.1', { 'x-real-ip': '6.6.6.6' }, trusts).isProxy).toBe(true)
    expect(asked('10.0.0.1', {}, trusts)).toEqual({ client: '10.0.0.1', isProxy: false })
  })

  test('behind two proxies of one’s own is unknown: a stranger’s wrong passwords must not count for all users', () => {
    const chain = { 'x-forwarded-for': '203.0.113.9, 10.0.0.7' }
    const trusts = { trustsProxy: true }
    expect(asked('10.0.0.1', chain, trusts)).toEqual({ client: '10.0.0.7', isProxy: true })
    const inside = { 'x-forwarded-for': '10.0.0.7' }
    expect(asked('10.0.0.1', inside, trusts)).toEqual({ client: '10.0.0.7', isProxy: false })
  })

  test('that the framework has read from a trusted proxy is taken as it is', () => {
    const found = asked('10.0.0.1', forwarded, { isFromProxy: true, trustsProxy: true })
    expect(found).toEqual({ client: '10.0.0.1', isProxy: false })
  })

  test('that is unknown stays unknown', () => {
    expect(asked(undefined, forwarded)).toEqual({ client: undefined, isProxy: false })
  })
})
