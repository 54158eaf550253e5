import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { audited } from '../../test-support/audited.js'
import { claimsIn } from '../../test-support/browser.js'
import { operate } from './index.js'

const { advance } = clock({ start: Date.UTC(2026, 10, 28, 12) + 990, timers: true })

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const headers = { 'cf-connecting-ip': '192.0.2.7', 'user-agent': FIREFOX }

/** Waits for work that waits for the clock: an ending ends with its second. */
async function passing<Result>(work: Promise<Result>): Promise<Result> {
  let isOver = false
  const note = () => {
    isOver = true
  }
  work.then(note, note)
  for (let steps = 0; !isOver && steps < 100; steps++) await advance(100)
  return work
}

describe('each event of the log is one record', () => {
  it('has the members of the event, and the browser that asked', async () => {
    const { signIn, here, records, events } = audited({
      callbacks: { signIn: ({ user }) => user.name !== 'eve' },
    })
    const ada = await signIn('ada', here, headers)
    const { sub } = claimsIn(ada)
    await passing(here.call('endSessions', { sub }))
    await ada.submit('/auth/callback/credentials', { username: 'eve' }, headers)
    const [signedIn, ended, refused] = await records()
    const { person } = events[0] ?? {}
    const browser = { device: 'Firefox on Windows', network: signedIn?.network }
    expect(signedIn).toEqual({
      ...{ id: 'ledger_1', chain: 'ledger', seq: 1, prev: null, hash: signedIn?.hash },
      ...{ time: events[0]?.time, event: 'sign-in', person, provider: 'credentials', ...browser },
    })
    expect(signedIn?.network).toMatch(/^[\w-]{22}$/)
    // An operator's program has no browser.
    expect(ended).toEqual({
      ...{ id: 'ledger_2', chain: 'ledger', seq: 2, prev: signedIn?.hash, hash: ended?.hash },
      ...{ time: ended?.time, event: 'sessions-ended', person },
      ...{ which: 'all', by: 'operator', operator: 'binding' },
    })
    expect(refused).toMatchObject({
      event: 'sign-in-refused',
      error: 'AccessDenied',
    })
    expect(events.map(({ event }) => event)).toEqual([
      'sign-in',
      'sessions-ended',
      'sign-in-refused',
    ])
  })

  it('is written before the answer', async () => {
    const { signIn, ledgers, records } = audited()
    let write = () => {}
    ledgers.before.set('record', () => new Promise<void>((done) => (write = done as () => void)))
    let isAnswered = false
    const browser = signIn().then(() => {
      isAnswered = true
    })
    while (ledgers.count('record') === 0) await advance(0)
    await advance(100)
    expect(isAnswered).toBe(false)
    write()
    await browser
    expect(await records()).toHaveLength(1)
  })

  it('costs one call, and a read or a renewal costs none', async () => {
    const { signIn, recorded } = audited()
    const ada = await signIn()
    expect(recorded()).toBe(1)
    await ada.session()
    await ada.get('/auth/session?online=1')
    await ada.submit('/auth/renew')
    await ada.get('/auth/sessions')
    await ada.get('/auth/providers')
    expect(recorded()).toBe(1)
    await ada.submit('/auth/signout')
    expect(recorded()).toBe(2)
  })
})

describe('a record that cannot be written', () => {
  it('stops nothing that a person does, and the log has the whole event', async () => {
    const { signIn, ledgers, errors } = audited()
    ledgers.before.set('record', () => Promise.reject(new Error('The object is away.')))
    const ada = await signIn('ada', undefined, headers)
    expect(await ada.session()).not.toBeNull()
    expect(errors.map(({ name }) => name)).toEqual(['audit-lost'])
    expect(errors[0]?.message).toBe('The audit log has no record of "sign-in".')
    expect(errors[0]?.cause).toMatchObject({
      ...{ event: 'sign-in', provider: 'credentials', device: 'Firefox on Windows' },
      err: { name: 'StoreUnavailable' },
    })
  })

  it('is sent a second time, which writes it once if the first answer was lost', async () => {
    const { signIn, ledgers, records, recorded, errors } = audited()
    let isFirst = true
    ledgers.after.set('record', async () => {
      if (isFirst) {
        isFirst = false
        throw new Error('The answer is lost.')
      }
    })
    await signIn()
    expect(recorded()).toBe(2)
    expect(await records()).toHaveLength(1)
    expect(errors).toEqual([])
  })

  it('is given up after three seconds by a ledger that hangs', async () => {
    const { signIn, ledgers, recorded, errors } = audited()
    ledgers.before.set('record', () => new Promise(() => {}))
    const start = Date.now()
    await passing(signIn())
    expect(errors[0]?.name).toBe('audit-lost')
    expect(Date.now() - start).toBeLessThanOrEqual(3_100)
    expect(recorded()).toBe(2)
  })

  it('stops an operator, also if the ledger hangs', async () => {
    const { signIn, here, ledgers, events } = audited()
    const ada = await signIn()
    ledgers.before.set('record', () => new Promise(() => {}))
    const start = Date.now()
    const ending = here.call('endSessions', claimsIn(ada))
    await expect(passing(ending)).rejects.toMatchObject({ name: 'StoreUnavailable' })
    expect(Date.now() - start).toBeLessThanOrEqual(3_100)
    expect(await (await ada.get('/auth/session?online=1')).json()).not.toBeNull()
    expect(events.map(({ event }) => event)).toEqual(['sign-in'])
  })

  it('by a class without the log names the export that is needed', async () => {
    const { signIn, here, ledgers, errors } = audited()
    ledgers.auditDays = undefined
    const ada = await signIn()
    const hint = "export { Ledger } from '@latchkey/worker/features/operate'"
    expect(errors[0]?.cause).toMatchObject({ err: { message: expect.stringContaining(hint) } })
    await expect(here.call('endSessions', claimsIn(ada))).rejects.toThrow(hint)
    await expect(here.call('auditHeads')).rejects.toThrow(hint)
  })
})

it('costs no call and no row if no variable asks for it', async () => {
  const { signIn, here, recorded, ledgers } = audited({}, { AUTH_AUDIT_DAYS: '' })
  const ada = await signIn()
  await passing(here.call('endSessions', claimsIn(ada)))
  expect(recorded()).toBe(0)
  for (const run of ledgers.audits.values()) {
    expect(run('SELECT name FROM sqlite_master')).toEqual([])
  }
  await expect(here.call('audit')).rejects.toThrow('"operate", which is off')
  await expect(here.call('auditHeads')).rejects.toThrow('"operate", which is off')
  const keyed = audited({}, { AUTH_AUDIT_DAYS: '', METRICS: { writeDataPoint() {} } })
  await expect(keyed.here.call('audit')).rejects.toThrow('set AUTH_AUDIT_DAYS')
})

it('a feature that fails on an event stops nothing, and no other feature', async () => {
  const deaf = {
    name: 'deaf',
    operator: { onEvent: () => Promise.reject(new Error('It does not hear.')) },
  }
  const { signIn, recorded, errors } = audited({ features: [deaf, operate()] })
  expect(await (await signIn()).session()).not.toBeNull()
  expect(recorded()).toBe(1)
  expect(errors.map(({ message }) => message)).toEqual(['It does not hear.'])
})
