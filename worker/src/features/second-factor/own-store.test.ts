import { describe, expect, it } from 'vitest'
import credentials from '../../providers/credentials.js'
import { memoryStore } from '../../stores/memory.js'
import type { Ledger } from '../../stores/ports.js'
import { mailProvider } from '../../test-support/email.js'
import { accountsAt, people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

// A store of the app's own may have all methods of documents, and leave the document out of an answer. A sign-in
// would then not learn that its person has a second factor.

const KINDS = ['password', 'mail', 'provider'] as const

/** A service over a store of the app's own. */
function world() {
  const { sessions, ledger: sound } = memoryStore()
  const ledger = { ...sound }
  const mails: Parameters<typeof mailProvider>[0] = []
  const password = credentials({
    credentials: { username: {} },
    authorize: ({ username }) => ({ id: String(username) }),
  })
  const store = { sessions, ledger }
  const providers = [accountsAt('one'), mailProvider(mails), password]
  const made = people({ store, providers }, { mails })
  const signIn = async (kind: (typeof KINDS)[number]) => {
    if (kind === 'mail') return made.signIn('email', 'ada@mail.example')
    if (kind === 'provider') return made.signIn('one', 'ada')
    const one = made.browser()
    await one.submit('/auth/callback/credentials', { username: 'ada' })
    return one
  }
  /** From now on some of its methods are others. */
  const become = (change: (ledger: Ledger) => Partial<Ledger>) => {
    Object.assign(ledger, change(sound))
  }
  return { ...made, signIn, become }
}

const mistake = async () => {
  throw new TypeError('this.database.begin is not a function')
}

describe('attack: an app’s own store leaves out the owner of a way, and no factor is asked for', () => {
  it.each<[string, (ledger: Ledger) => Partial<Ledger>]>([
    [
      'forgive answers nothing',
      (ledger) => ({
        async forgive(key, limits, _way, wholes) {
          await ledger.forgive(key, limits, undefined, wholes)
        },
      }),
    ],
    [
      'redeemVerification answers no document',
      (ledger) => ({
        async redeemVerification(key, proof) {
          const { document: _, ...rest } = {
            document: undefined,
            ...(await ledger.redeemVerification(key, proof)),
          }
          return rest
        },
      }),
    ],
    [
      'enter answers no document',
      (ledger) => ({
        enter: async (name, expires) => ({ isFirst: await ledger.consume(name, expires) }),
      }),
    ],
    ['enter fails, as something is not a function', () => ({ enter: mistake })],
    ['document fails in that way', () => ({ document: mistake, enter: mistake })],
  ])('%s', async (_, change) => {
    for (const kind of KINDS) {
      const made = world()
      const owner = await made.signIn(kind)
      await setUpFactor(owner)
      made.become(change)
      const thief = await made.signIn(kind)
      expect([kind, thief.jar.has('auth.session-token')]).toEqual([kind, false])
    }
  })
})
