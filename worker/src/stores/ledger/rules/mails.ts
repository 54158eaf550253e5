import { documentIn, type Rows, unexpired } from '../rows.js'
import { MAX_WRONG_CODES, type MailedProof, type Redemption, type ShownProof } from '../types.js'

export const mails = {
  /** Stores a mail to an address. An earlier mail to it no longer works. */
  startVerification(
    rows: Rows,
    _now: number,
    key: string,
    { link, code, sealed, expires }: MailedProof,
  ): void {
    rows.put('verifications', key, { link, code, sealed, wrong: 0, expires })
  },

  /** The sealed contents behind a link. Changes nothing. */
  findVerification(rows: Rows, now: number, key: string, link: string): string | undefined {
    // Finding a link changes nothing, since mail scanners open links as well.
    const mailed = unexpired(rows.get('verifications', key), now)
    return mailed?.link === link ? mailed.sealed : undefined
  },

  /** Redeems a mail: for exactly one caller, whatever the parallelism. */
  redeemVerification(rows: Rows, now: number, key: string, proof: ShownProof): Redemption {
    // A wrong code is counted and never ends the link, since a stranger may type codes too.
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

  /** Deletes a mail; with `link`, only if no other mail was sent meanwhile. */
  withdrawVerification(rows: Rows, _now: number, key: string, link?: string): void {
    const isMeant = link === undefined || rows.get('verifications', key)?.link === link
    if (isMeant) rows.delete('verifications', key)
  },
}
