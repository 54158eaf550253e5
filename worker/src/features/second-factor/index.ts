import { demandOf } from '../../factors/demand.js'
import { resetFactors } from '../../people/reset-factors.js'
import { enterFactor, factorPage } from '../../routes/factor.js'
import { confirmOwnFactor, newRecoveryCodes, removeOwnFactor } from '../../routes/factor-changes.js'
import { factorSetup, setUp } from '../../routes/factor-setup.js'
import type { Feature } from '../../service/feature.js'
import { keepSignIn } from '../../sign-in/kept-sign-in.js'
import { ways } from '../ways/index.js'

/** An authenticator app and recovery codes are asked for after the first factor (docs/second-factor.md). */
export const secondFactor: Feature = {
  name: 'second-factor',
  needs: [ways],
  options: ['secondFactor'],
  reads: ['factor'],
  routes: {
    '/factor': { GET: factorPage, POST: enterFactor, needsHuman: () => true },
    '/factor/setup': { GET: factorSetup, POST: setUp },
    '/factor/recovery': { POST: newRecoveryCodes },
    '/factor/remove': { POST: removeOwnFactor },
    '/factor/confirm': { POST: confirmOwnFactor },
  },
  async hold(request, { signedIn, known, target, limited }) {
    const demand = await demandOf(request, signedIn, known?.person)
    return demand && (() => keepSignIn(request, signedIn, target, demand, limited))
  },
  operations: { resetFactors },
}
