import { decodeBase64Url } from '../../lib/base64url.js'
import { argon2id } from '../../passwords/argon2id.js'
import { COST, hashPassword, KEY } from '../../passwords/new-hash.js'

/** A hash of {@link newHash}, which is the only format that is kept here (RFC 9106, in the PHC string format). */
const OWN = /^\$argon2id\$v=19\$m=(\d{4,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

interface Read {
  readonly memory: number
  readonly passes: number
  readonly lanes: number
  readonly salt: Uint8Array
  readonly key: Uint8Array
}

/** @param password as the rules have put it */
export function newHash(password: string): Promise<string> {
  return hashPassword(password)
}

/** Is a text the password of a hash? It takes the time of one hash. @throws {TypeError} the hash is malformed */
export async function verifyHash(hash: string, password: string): Promise<boolean> {
  const { salt, key, ...cost } = read(hash)
  const made = await argon2id(new TextEncoder().encode(password), salt, cost, key.length)
  let differences = made.length ^ key.length
  for (let at = 0; at < key.length; at++) differences |= (made[at] ?? 0) ^ (key[at] ?? 0)
  return differences === 0
}

/** Does a hash cost less than new ones do? */
export function isCheap(hash: string): boolean {
  const { memory, passes, key } = read(hash)
  return memory * passes < COST.memory * COST.passes || key.length < KEY
}

function read(hash: string): Read {
  const [, memory, passes, lanes, salt = '', key = ''] = OWN.exec(hash) ?? []
  const bytes = [salt, key].map((text) =>
    decodeBase64Url(text.replaceAll('+', '-').replaceAll('/', '_')),
  )
  if (!bytes[0] || !bytes[1] || memory === undefined) {
    throw new TypeError('The hash of a password is malformed.')
  }
  const cost = { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) }
  return { ...cost, salt: bytes[0], key: bytes[1] }
}
