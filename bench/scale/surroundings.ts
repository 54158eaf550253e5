import { deriveKeyRing, type KeyRing } from '@latchkey/worker/lib/key-ring'
import type { Network } from './network.js'
import type { Size } from './sizes.js'
import type { World } from './world.js'

/** What a design may use, wherever it runs. */
export interface Surroundings {
  readonly world: World
  readonly network: Network
  readonly size: Size
  readonly keys: KeyRing
  readonly issuer: string
  /** Receives failures in the background; they sign no user out. */
  readonly onError: (error: unknown) => void
}

/** A deployment's surroundings, with the keys of a service. */
export async function surround(
  around: Omit<Surroundings, 'keys' | 'issuer'>,
): Promise<Surroundings> {
  const keys = await deriveKeyRing(['a-secret-of-the-simulator-0123456789'], around.world.now)
  return { ...around, keys, issuer: 'https://example.com/auth' }
}
