import type { Feature } from '../../service/feature.js'
import { readProof, reportFault } from './app-proof.js'

/**
 * An app that forwards proves itself by the secret, or by a key of `AUTH_APP_KEYS`, and then says of which origin and for
 * which visitor it asks.
 */
export const appProofs: Feature = {
  name: 'app-proofs',
  ports: {
    proofs: {
      async read(original, parts) {
        const proof = await readProof(original, new URL(original.url).pathname, parts)
        if (typeof proof !== 'string') return proof
        reportFault(parts, proof)
        return undefined
      },
      notifyReplay: (request) => reportFault(request, 'replayed'),
    },
  },
}
