import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holds } from '../../../../../test/support/holds.js'
import { DAY, logUnderTest } from '../../../test-support/audit-log.js'
import type { AuditHeads } from '../../../types/audit.js'
import { verifyAudit } from './verify.js'

const DAYS = 3

const step = fc.oneof(
  fc.record({ records: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ repeats: fc.nat({ max: 5 }) }),
  fc.record({ passes: fc.integer({ min: 1, max: 2 * DAY }) }),
  fc.constantFrom('restart', 'sweep', 'save', 'fault' as const),
)

test('a log has no fault and no event twice, whatever comes after what: calls, repeated calls, restarts, faults, days', () =>
  holds(
    150,
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const under = logUnderTest(DAYS)
      const nonces: string[] = []
      const all = new Map<number, string>()
      let saved: AuditHeads | undefined
      const record = (nonce: string) => under.record('sign-in', { code: nonce }, nonce)
      for (const now of steps) {
        if (now === 'restart') under.restart()
        else if (now === 'sweep') await under.log().sweep()
        else if (now === 'save') saved = await under.heads()
        else if (now === 'fault' && (await under.log().rows.isThere())) {
          under.run(
            `CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END`,
          )
          await expect(record(`failed-${nonces.length}`)).rejects.toThrow('full')
          under.run('DROP TRIGGER full')
        } else if (typeof now === 'string') continue
        else if ('passes' in now) under.pass(now.passes)
        else if ('records' in now) {
          const more = Array.from({ length: now.records }, (_, at) => `n-${nonces.length + at}`)
          nonces.push(...more)
          await Promise.all(more.map(record))
        } else {
          const known = await under.all()
          const repeated = known.slice(-1 - now.repeats).flatMap(({ code }) => code ?? [])
          await Promise.all(repeated.map(record))
          expect(await under.all()).toEqual(known)
        }
        const records = await under.all()
        for (const { seq, code = '' } of records) {
          expect(all.get(seq) ?? code).toBe(code)
          all.set(seq, code)
        }
        const { faults } = await verifyAudit(records, await under.heads(), saved, under.now())
        expect(faults).toEqual([])
      }
      // In the order of their calls, each once, also those that are deleted by now.
      const recorded = [...all].toSorted(([one], [other]) => one - other).map(([, code]) => code)
      expect(recorded).toEqual(nonces)
    }),
  ))

test('each change of a character, and each row that is deleted or copied elsewhere, is found', async () => {
  const under = logUnderTest()
  for (let count = 0; count < 8; count++) await under.record('sign-in', { provider: 'github' })
  const saved = await under.heads()
  const rows = under.run('SELECT seq, at, nonce, content FROM audit')
  const restore = () => {
    under.run('DELETE FROM audit')
    for (const { seq, at, nonce, content } of rows) {
      under.run(
        'INSERT INTO audit (seq, at, nonce, content) VALUES (?, ?, ?, ?)',
        ...([seq, at, nonce, content] as (string | number)[]),
      )
    }
  }
  const place = fc.integer({ min: 1, max: 8 })
  await holds(
    300,
    fc.asyncProperty(
      place,
      fc.oneof(
        fc.record({ at: fc.nat(), character: fc.constantFrom(...'aZ0_-"{}:,\\ é') }),
        fc.record({ to: fc.integer({ min: -2, max: 12 }) }),
        fc.constant('deleted' as const),
      ),
      async (seq, change) => {
        restore()
        const content = String(rows[seq - 1]?.content)
        let isChanged = true
        if (change === 'deleted') under.run('DELETE FROM audit WHERE seq = ?', seq)
        else if ('to' in change) {
          isChanged = change.to !== seq
          under.run('INSERT OR REPLACE INTO audit VALUES (?, 0, NULL, ?)', change.to, content)
        } else {
          const at = change.at % content.length
          const changed = content.slice(0, at) + change.character + content.slice(at + 1)
          isChanged = changed !== content
          under.run('UPDATE audit SET content = ? WHERE seq = ?', changed, seq)
        }
        const { records } = await under.log().records({ limit: 100 })
        const { ok } = await verifyAudit(records, await under.heads(), saved, under.now())
        expect(ok).toBe(!isChanged)
      },
    ),
  )
})
