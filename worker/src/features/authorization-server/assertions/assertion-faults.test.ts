import { beforeAll, describe, expect, it } from 'vitest'
import type { Ledger } from '../../../stores/ledger/rules.js'
import { memoryStore } from '../../../stores/memory.js'
import { assertionWorld } from '../../../test-support/assertion-world.js'
import type { ProgramAnswer } from '../../../test-support/oauth.js'

// A store that fails between any two steps, before a call or after it: 503, and no assertion gives two tokens.

let make: Awaited<ReturnType<typeof assertionWorld>>
beforeAll(async () => {
  make = await assertionWorld()
})

type World = ReturnType<typeof make.world>
type Call = (...args: unknown[]) => Promise<unknown>

/** A world whose call of the ledger with a number fails, once or more often. */
function failing() {
  const { sessions, ledger } = memoryStore()
  const plan = { at: -1, times: 1, isLost: false, made: 0 }
  const wrapped = Object.entries(ledger as unknown as Record<string, Call>).map(([name, call]) => {
    const one: Call = async (...args) => {
      const at = plan.made++
      const isDue = at >= plan.at && at < plan.at + plan.times
      if (plan.at < 0 || !isDue) return call(...args)
      if (plan.isLost) await call(...args)
      throw new Error('The store is down.')
    }
    return [name, one]
  })
  const own = Object.assign(Object.create(null), ledger, Object.fromEntries(wrapped)) as Ledger
  return { plan, one: make.world({ store: { sessions, ledger: own } }) }
}

const flows: [string, () => Promise<(one: World) => Promise<ProgramAnswer>>, number][] = [
  [
    'an assertion about a person',
    async () => {
      const assertion = await make.assertion()
      return (one) => make.send(one, assertion)
    },
    2,
  ],
  [
    'a client assertion',
    async () => {
      const fields = await make.clientFields()
      return (one) => make.sendClient(one, fields)
    },
    2,
  ],
  [
    'the token of a job',
    async () => {
      const fields = await make.jobFields('job')
      return (one) => one.token(fields)
    },
    2,
  ],
]

describe.each(flows)('%s', (_, begin, steps) => {
  it.each(Array.from({ length: steps }, (_step, at) => at))(
    'the store is down from call %i on: 503, and the same assertion counts afterwards, once',
    async (at) => {
      const { plan, one } = failing()
      const send = await begin()
      // Its second try, and what gives the id back, come later.
      Object.assign(plan, { at, times: 2 })
      const failed = await send(one)
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
      plan.at = -1
      expect((await send(one)).status).toBe(200)
      expect((await send(one)).status).toBeGreaterThanOrEqual(400)
    },
  )

  it.each(Array.from({ length: steps + 1 }, (_step, at) => at))(
    'attack: the answer to call %i is lost: no assertion gives two tokens',
    async (at) => {
      const { plan, one } = failing()
      const send = await begin()
      Object.assign(plan, { at, isLost: true })
      const statuses = [(await send(one)).status]
      plan.at = -1
      for (let times = 0; times < 3; times++) statuses.push((await send(one)).status)
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
      expect(statuses.slice(2).filter((status) => status === 200)).toEqual([])
    },
  )
})
