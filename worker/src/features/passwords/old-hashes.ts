import { nowInSeconds } from '../../http/request.js'
import { readHash } from '../../passwords/read-hash.js'
import { changePerson } from '../../person/documents.js'
import type { OldHashes } from '../../service/account-hooks.js'
import { openHash, passwordOf, sealHash } from './kept-password.js'
import { addressesOf } from './person-password.js'
import { passwordSettings } from './settings.js'

/** More memory than a sign-in may take, in a Worker whose requests share 128 MB. Bytes. */
const MAX_MEMORY = 64 * 2 ** 20

/** Passwords of another system, which people bring along (docs/passwords.md). */
export const oldHashes: OldHashes = {
  areTypedWith: (request, provider) => passwordSettings(request).email === provider,
  async keep(request, sub, hash, read) {
    if (!fits(hash)) return 'bad-hash'
    const password = {
      since: nowInSeconds(request),
      sealed: await sealHash(request, sub, { hash, isOld: true }),
    }
    const { person, isChanged } = await changePerson(
      request,
      sub,
      (known) => {
        const isOver = !known || known.erasing || known.mergedInto !== undefined
        if (isOver || known.password || addressesOf(request, known).length === 0) return undefined
        return { ...known, password }
      },
      read,
    )
    if (isChanged) return 'added'
    const kept = passwordOf(person)
    if (!kept) return 'gone'
    return (await openHash(request, sub, kept))?.hash === hash ? 'known' : 'has-password'
  },
}

/** Is it in a format that is known, and does it need no more memory than there is? */
function fits(hash: string): boolean {
  const read = readHash(hash)
  if (read?.kind === 'argon2id') return read.memory * 1024 <= MAX_MEMORY
  if (read?.kind === 'scrypt') return 128 * read.cost * read.blockSize <= MAX_MEMORY
  return read !== undefined
}
