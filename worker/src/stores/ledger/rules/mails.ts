import { MAX_WRONG_CODES } from '../../ports.js'
import { documentIn, type Rules, unexpired } from '../rows.js'

export const mails: Rules<
  'startVerification' | 'findVerification' | 'redeemVerification' | 'withdrawVerification'
> = {
  startVerification(rows, _now, key, { link, code, sealed, expires }) {
    rows.put('verifications', key, { link, code, sealed, wrong: 0, expires })
  },

  // Finding a link changes nothing, since mail scanners open links as well.
  findVerification(rows, now, key, link) {
    const mailed = unexpired(rows.get('verifications', key), now)
    return mailed?.link === link ? mailed.sealed : undefined
  },

  // A wrong code is counted and never ends the link, since a stranger may type codes too.
  redeemVerification(rows, now, key, proof) {
    const mailed = unexpired(rows.get('verifications', key), now)
    const isProof = 'link' in proof || 'code' in proof
    if (!mailed || !isProof) return { state: 'over' }
    if ('link' in proof && proof.link !== mailed.link) return { state: 'over' }
    if ('code' in proof && mailed.wrong >= MAX_WRONG_CODES) return { state: 'spent' }
    if ('code' in proof && proof.code !== mailed.code) {
      const wrong = mailed.wrong + 1
      rows.change('verifications', key, { wrong })
      return { state: wrong < MAX_WRONG_CODES ? 'wrong' : 'spent' }
    }
    rows.delete('verifications', key)
    const document = documentIn(rows, now, `way\n${key}`)
    return { state: 'redeemed', sealed: mailed.sealed, ...(document ? { document } : {}) }
  },

  withdrawVerification(rows, _now, key, link) {
    const isMeant = link === undefined || rows.get('verifications', key)?.link === link
    if (isMeant) rows.delete('verifications', key)
  },
}
