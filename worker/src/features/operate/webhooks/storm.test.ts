import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { holds } from '../../../../../test/support/holds.js'
import { startReceiver } from '../../../test-support/receivers.js'
import { objectWithWebhooks } from '../../../test-support/webhooks.js'

const receiver = await startReceiver()
afterAll(() => receiver.stop())

const step = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ do: 'record' } as const) },
  { weight: 4, arbitrary: fc.constant({ do: 'ring' } as const) },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), after: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.nat(15) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resend' as const), seq: fc.nat(12) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      how: fc.constantFrom<204 | 500 | 'close'>(204, 500, 'close'),
    }),
  },
)

test('each message is received or dead, with any answer of a receiver and any end of an object', async () => {
  let cases = 0
  await holds(
    60,
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const url = new URL(`/case-${++cases}`, receiver.url)
      const object = objectWithWebhooks({ AUTH_WEBHOOK_URL: url.href })
      let how: 204 | 500 | 'close' = 204
      const received = new Set<unknown>()
      receiver.received.length = 0
      receiver.behavior = (request) => {
        const answer = request.path === url.pathname ? how : 204
        if (answer === 204) received.add(JSON.parse(request.body).data.seq)
        return answer
      }
      /** The caller calls again, and the platform lets an alarm come again. */
      const again = async (run: () => Promise<unknown>) => {
        await run().catch((error: Error) => expect(error.message).toMatch(/has ended/))
        if (!object.hasEnded()) return
        object.restart()
        await run()
      }
      let recorded = 0
      for (const one of steps) {
        if (one.do === 'record') {
          const nonce = `${++recorded}`
          await again(() => object.record('sign-in', {}, nonce))
        } else if (one.do === 'ring') await again(() => object.ring())
        else if (one.do === 'restart') object.restart()
        else if (one.do === 'end') object.endAfter(one.after)
        else if (one.do === 'pass') object.pass(one.hours * 3_600_000)
        else if (one.do === 'answer') how = one.how
        else await again(async () => await object.resend(one.seq))
      }
      how = 204
      object.restart()
      do await object.ring()
      while (object.alarm() !== undefined)
      const { waiting, failed } = await object.state()
      const dead = failed.filter(({ next, tries }) => next === null && tries === 8)
      expect(waiting).toBe(0)
      expect(failed).toEqual(dead)
      const ended = new Set([...received, ...dead.map(({ id }) => Number(id.split('_')[1]))])
      expect([...ended].sort()).toEqual(Array.from({ length: recorded }, (_, at) => at + 1).sort())
    }),
  )
})
