import { expect, it, vi } from 'vitest'
import { Auth } from '../index.js'
import { isReference, newReference } from '../lib/reference.js'
import { Browser, configWith, locationOf } from '../test-support/browser.js'
import type { AuthConfig, LogEvent } from '../types.js'

const broken = () => {
  throw new Error('the inner reason')
}

function visit(changes: Partial<AuthConfig> = {}) {
  const errors: (Error & { reference?: string })[] = []
  const events: LogEvent[] = []
  const logger = {
    error: (error: Error) => void errors.push(error),
    info: (event: LogEvent) => void events.push(event),
    warn: () => {},
  }
  const config = configWith({ logger, callbacks: { redirect: broken }, ...changes })
  return { browser: new Browser(config), errors, events, config }
}

it('the page shows the same reference as the log and the JSON, and shows it for faults only', async () => {
  const { browser, errors } = visit()
  const url = new URL(locationOf(await browser.submit('/auth/signout')))
  const reference = url.searchParams.get('reference') ?? ''
  expect(isReference(reference)).toBe(true)
  expect(errors[0]?.reference).toBe(reference)
  const page = await (await browser.get(url.pathname + url.search)).text()
  expect(page).toContain(`<code>${reference}</code>`)
  const asJson = await browser.submit('/auth/signout', {}, { 'x-auth-return-redirect': '1' })
  const told = (await asJson.json()) as { url: string; reference: string }
  expect(told).toEqual({
    error: 'Configuration',
    reference: errors[1]?.reference,
    url: expect.stringContaining(`reference=${errors[1]?.reference}`),
  })
  expect(told.reference).not.toBe(reference)
})

it('an event has it, and so has the console, in both formats', async () => {
  const pw = {
    id: 'pw',
    name: 'P',
    type: 'credentials',
    credentials: {},
    authorize: broken,
  } as const
  const { browser, events, errors } = visit({ providers: [pw], callbacks: {} })
  const url = new URL(locationOf(await browser.submit('/auth/callback/pw')))
  const reference = url.searchParams.get('reference')
  expect([events[0]?.reference, errors[0]?.reference]).toEqual([reference, reference])
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { logger: _, ...config } = configWith({ providers: [pw] })
  const plain = new Browser(config)
  const shown = new URL(locationOf(await plain.submit('/auth/callback/pw')))
  expect(said.mock.calls.join()).toContain(`reference=${shown.searchParams.get('reference')}`)
  said.mockRestore()
})

it('mistakes of people themselves have none', async () => {
  const { browser, errors } = visit({ callbacks: {} })
  for (const path of ['/auth/signin/nobody', '/auth/callback/nobody']) {
    expect(locationOf(await browser.submit(path))).not.toContain('reference')
  }
  expect(locationOf(await browser.post('/auth/signout', {}))).not.toContain('reference')
  expect(errors.some((error) => error.reference)).toBe(false)
})

it.each(['<b>', 'KQWT-MXDBX', 'call 0900-1234', '0800-1234', 'kqwt-mxdb', 'IIII-OOOO', ''])(
  'the error page repeats only references: %s',
  async (text) => {
    const query = new URLSearchParams({ error: 'Configuration', reference: text })
    const answer = await Auth(new Request(`http://localhost/auth/error?${query}`), visit().config)
    const page = await answer.text()
    expect(page).not.toContain('If you ask for help')
    if (text) expect(page).not.toContain(text === '<b>' ? '<b>' : `>${text}<`)
  },
)

it('a reference has its form, and is another one each time', () => {
  const some = Array.from({ length: 1_000 }, newReference)
  expect(some.every(isReference)).toBe(true)
  expect(new Set(some).size).toBe(1_000)
})
