import { createVerifier, type Verifier } from '@latchkey/session'
import { people, SECRET } from '../contestant.ts'
import { ISSUER, signInWithTokens } from '../tokens.ts'

// A process that reports its memory while its verifier sees more and more tokens.

const options = { secret: SECRET, issuer: ISSUER }
const verifier = createVerifier(options)
const PART = 1_000

// Load the code before the first measurement.
await see(PART, createVerifier(options))
const before = used()
process.on('message', async (tokens: number) => {
  for (let left = tokens; left > 0; left -= PART) await see(Math.min(left, PART), verifier)
  process.send?.(used() - before)
})
process.send?.('ready')

/** Every token belongs to a new session: it is signed with a session id of its own. */
async function see(count: number, by: Verifier): Promise<void> {
  const headers = await signInWithTokens(people(count))
  const readings = await Promise.all(headers.map((header) => by.read(header)))
  if (!readings.every(({ session }) => session)) throw new Error('A token was refused.')
}

/** Bytes. */
function used(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
