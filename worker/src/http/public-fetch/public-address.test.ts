import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds } from '../../../../test/support/holds.js'
import { isPublicAddress } from './public-address.js'

describe('a host of the internet', () => {
  it.each([
    ...['1.1.1.1', '8.8.8.8', '93.184.216.34', '9.255.255.255', '11.0.0.0', '100.63.255.255'],
    ...['100.128.0.0', '126.255.255.255', '128.0.0.1', '169.253.255.255', '169.255.0.0'],
    ...['172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.0.1'],
    ...['192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
    ...['2606:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::200e', '2600::'],
    ...['64:ff9b::8.8.8.8', '64:ff9b::808:808', '2001:200::1', '2001:db9::1', '2003::1'],
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('no host of the internet', () => {
  it.each([
    ['nothing', ''],
    ['a name', 'example.com'],
    ['a number', '2130706433'],
    ['hexadecimal', '0x7f.0.0.1'],
    ['three parts', '127.0.1'],
    ['five parts', '1.1.1.1.1'],
    ['a part above 255', '1.1.1.256'],
    ['a space', ' 1.1.1.1'],
    ['this network', '0.0.0.0'],
    ['this network too', '0.1.2.3'],
    ['10/8', '10.0.0.1'],
    ['shared by carriers', '100.64.0.1'],
    ['shared by carriers, the last one', '100.127.255.255'],
    ['this machine', '127.0.0.1'],
    ['this machine too', '127.255.255.254'],
    ['link-local, the metadata of clouds', '169.254.169.254'],
    ['172.16/12', '172.16.0.1'],
    ['172.16/12, the last one', '172.31.255.255'],
    ['a block for protocols', '192.0.0.170'],
    ['a block for documentation', '192.0.2.1'],
    ['a block for relays', '192.88.99.1'],
    ['192.168/16', '192.168.0.1'],
    ['a block for benchmarks', '198.18.0.1'],
    ['the last one for benchmarks', '198.19.255.255'],
    ['another block for documentation', '198.51.100.1'],
    ['a third block for documentation', '203.0.113.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['::', '::'],
    ['::1', '::1'],
    ['::1 in full', '0:0:0:0:0:0:0:1'],
    ['a mapped address', '::ffff:127.0.0.1'],
    ['a mapped public address', '::ffff:8.8.8.8'],
    ['a mapped address in groups', '::ffff:7f00:1'],
    ['a compatible address', '::127.0.0.1'],
    ['behind a translator', '64:ff9b::127.0.0.1'],
    ['behind a translator, in groups', '64:ff9b::a9fe:a9fe'],
    ['behind a local translator', '64:ff9b:1::808:808'],
    ['a black hole', '100::1'],
    ['Teredo', '2001::1'],
    ['a block for protocols', '2001:1ff:ffff::1'],
    ['a block for documentation', '2001:db8::1'],
    ['6to4 of this machine', '2002:7f00:1::1'],
    ['6to4', '2002:808:808::1'],
    ['another block for documentation', '3fff:fff::1'],
    ['SRv6', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['unique local too', 'fdff::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['not in use', '4000::1'],
    ['not in use either', 'e000::1'],
    ['two gaps', '2606::1::1'],
    ['nine groups', '2606:0:0:0:0:0:0:0:1'],
    ['seven groups', '2606:0:0:0:0:0:1'],
    ['a long group', '2606:00000::1'],
    ['brackets', '[2606:4700::1111]'],
  ])('is %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

it('Node’s list of the same blocks agrees about every address', async () => {
  const list = new BlockList()
  for (const block of [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
    ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
    ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ]) {
    const [base = '', bits] = block.split('/')
    list.addSubnet(base, Number(bits), 'ipv4')
  }
  const beside = fc.constantFrom(
    ...['10.0.0.0', '100.64.0.0', '127.0.0.0', '169.254.0.0', '172.16.0.0', '192.168.0.0'],
    ...['198.18.0.0', '203.0.113.0', '224.0.0.0'],
  )
  const near = fc.tuple(beside, fc.integer({ min: -3, max: 300_000 })).map(([base, by]) => {
    const value = base.split('.').reduce((all, part) => all * 256 + Number(part), 0) + by
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
  })
  await holds(
    2_000,
    fc.property(fc.oneof(fc.ipV4(), near), (address) => {
      expect(isPublicAddress(address)).toBe(!list.check(address, 'ipv4'))
    }),
  )
  await holds(
    1_000,
    fc.property(fc.ipV6(), (address) => {
      expect(isIP(address)).toBe(6)
      // All that is outside of 2000::/3 but the translator's.
      const [first = ''] = address.split(':')
      const head = address.startsWith('::') ? 0 : Number.parseInt(first, 16)
      if (head >> 13 !== 1 && head !== 0x64) expect(isPublicAddress(address)).toBe(false)
    }),
  )
})
