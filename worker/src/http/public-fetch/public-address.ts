/** Blocks of IPv4 that lead to no public host (IANA, IPv4 Special-Purpose Address Registry), with multicast. */
const NOT_PUBLIC_V4: readonly (readonly [base: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** Blocks within 2000::/3 that lead to no public host, or to another one than they name (IANA, the same for IPv6). */
const NOT_PUBLIC_V6: readonly (readonly [base: string, bits: number])[] = [
  ['2001:0:0:0:0:0:0:0', 23],
  ['2001:db8:0:0:0:0:0:0', 32],
  ['2002:0:0:0:0:0:0:0', 16],
  ['3fff:0:0:0:0:0:0:0', 20],
]

/**
 * Does an address belong to a host of the internet? An unknown block is not public.
 *
 * @param address as the resolver gives it: dotted, or colon-separated
 * @example isPublicAddress('169.254.169.254') // false
 */
export function isPublicAddress(address: string): boolean {
  const v4 = readV4(address)
  if (v4 !== undefined) return isPublicV4(v4)
  const v6 = readV6(address)
  if (v6 === undefined) return false
  const isIn = ([base, bits]: readonly [string, number]) => {
    const shift = BigInt(128 - bits)
    return v6 >> shift === (readV6(base) ?? 0n) >> shift
  }
  // Addresses of IPv4 behind a translator (RFC 6052). Mapped ones (RFC 4291, 2.5.5.2) are outside of 2000::/3, as loopback
  // and all private blocks are.
  if (isIn(['64:ff9b:0:0:0:0:0:0', 96])) return isPublicV4(Number(v6 & 0xffffffffn))
  return isIn(['2000:0:0:0:0:0:0:0', 3]) && !NOT_PUBLIC_V6.some(isIn)
}

function isPublicV4(value: number): boolean {
  return !NOT_PUBLIC_V4.some(([base, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(value / size) === Math.floor((readV4(base) ?? 0) / size)
  })
}

function readV4(address: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number)
  if (!parts?.every((part) => part <= 255)) return undefined
  return parts.reduce((all, part) => all * 256 + part, 0)
}

function readV6(address: string): bigint | undefined {
  // A dotted end is two groups.
  const [, head, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? []
  const end = dotted === undefined ? undefined : readV4(dotted)
  if (dotted !== undefined && end === undefined) return undefined
  const text =
    head === undefined || end === undefined
      ? address
      : `${head}${Math.floor(end / 65_536).toString(16)}:${(end % 65_536).toString(16)}`
  const [left = '', right, ...more] = text.split('::')
  if (more.length > 0) return undefined
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))
  const before = groupsOf(left)
  const after = groupsOf(right ?? '')
  const missing = 8 - before.length - after.length
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((all, group) => (all << 16n) | BigInt(`0x${group}`), 0n)
}
