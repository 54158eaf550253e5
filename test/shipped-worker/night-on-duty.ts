import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runLatchkey } from '../support/run-latchkey.ts'
import { operatorKey, servers } from './servers.ts'

/** The night of docs/operate.md, from the key to the check of the log, by the command as it is built. */
describe('a night on duty', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-night-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** All that the command has ever said. */
  let said = ''

  async function latchkey(...args: string[]) {
    const env = { LATCHKEY_URL: `${servers.workerUrl}/auth`, AUTH_OPERATOR_KEY: operatorKey }
    const { code, printed, noted } = await runLatchkey(args, env, folder)
    said += printed + noted
    return { code, printed, noted }
  }

  async function json(...args: string[]) {
    const { code, printed } = await latchkey(...args, '--json')
    return { code, answer: JSON.parse(printed) }
  }

  /** A browser, as far as cookies go. */
  function browser() {
    const cookies = new Map<string, string>()
    const go = async (path: string, fields?: Record<string, string>) => {
      const answer = await fetch(servers.workerUrl + path, {
        headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
        redirect: 'manual',
        ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
      })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/; Max-Age=0/.test(line)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    }
    /** Signs in at the sandbox, and returns where that leads to. */
    const signIn = async (person: string) => {
      const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
      const begun = await go('/auth/signin/videoapp', { csrfToken })
      const body = new URLSearchParams({ person, decision: 'allow', scope: 'user.info.profile' })
      const init = { method: 'POST', body, redirect: 'manual' } as const
      const decided = await fetch(begun.headers.get('location') ?? '', init)
      const back = new URL(decided.headers.get('location') ?? '')
      return (await go(back.pathname + back.search)).headers.get('location') ?? ''
    }
    const session = async () =>
      (await (await go('/auth/session?online=1')).json()) as { user: { id: string } } | null
    return { signIn, session }
  }

  test('a person is blocked, and the log shows it and is sound', async () => {
    const laptop = browser()
    const phone = browser()
    await laptop.signIn('vic')
    await phone.signIn('vic')
    const sub = (await laptop.session())?.user.id ?? ''
    expect((await phone.session())?.user.id).toBe(sub)

    const shown = await json('person', sub)
    expect(shown).toMatchObject({
      code: 0,
      answer: { person: { sub, blocked: null, sessions: 2 }, ways: [{ provider: 'videoapp' }] },
    })
    expect((await latchkey('person', sub)).printed).toMatch(/^Person {7}\S+\nBlocked {6}no\n/)

    expect(await json('person', sub, 'block', '--reason', 'stolen account')).toEqual({
      code: 0,
      answer: { done: true },
    })
    expect([await laptop.session(), await phone.session()]).toEqual([null, null])
    expect(await laptop.signIn('vic')).toMatch(/error=AccessDenied.*code=blocked/)
    expect(await laptop.session()).toBeNull()
    expect((await latchkey('person', sub)).printed).toContain('stolen account')

    const { printed } = await latchkey('audit', '--sub', sub, '--json')
    const records = printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records.filter(({ event }) => event === 'sign-in')).toHaveLength(2)
    const last = records.findLast(({ event }) => event === 'person-blocked')
    expect(last).toMatchObject({ operator: 'night', reason: 'stolen account' })
    expect(records.map(({ event }) => event)).toContain('sign-in-refused')

    const heads = ['audit', 'verify', '--heads', 'heads.json']
    const sound = await json(...heads)
    expect(sound).toMatchObject({ code: 0, answer: { ok: true, faults: [] } })
    expect((await json('person', sub, 'unblock')).code).toBe(0)
    expect(await laptop.signIn('vic')).not.toContain('error=')
    const later = await json(...heads)
    expect(later).toMatchObject({ code: 0, answer: { ok: true, faults: [] } })
    expect(later.answer.records).toBeGreaterThan(sound.answer.records)
    expect(JSON.parse(readFileSync(join(folder, 'heads.json'), 'utf8')).days).toBe(30)
  })

  test('an export of the log is checked without the service, and a changed line is found', async () => {
    const { printed } = await latchkey('audit', '--all', '--json')
    writeFileSync(join(folder, 'log.jsonl'), printed)
    expect(await json('audit', 'verify', '--file', 'log.jsonl')).toMatchObject({ code: 0 })
    const changed = printed.replace('"operator":"night"', '"operator":"day"')
    expect(changed).not.toBe(printed)
    writeFileSync(join(folder, 'log.jsonl'), changed)
    const found = await json('audit', 'verify', '--file', 'log.jsonl')
    expect(found).toMatchObject({ code: 1, answer: { ok: false, faults: [{ fault: 'edited' }] } })
  })

  test('webhooks that are off are said', async () => {
    expect(await json('webhooks')).toMatchObject({ code: 1, answer: { error: 'NotFound' } })
  })

  test('an unknown key is refused, and no key was ever shown', async () => {
    const env = {
      LATCHKEY_URL: `${servers.workerUrl}/auth`,
      AUTH_OPERATOR_KEY: `${operatorKey.slice(0, -4)}AAAA`,
    }
    const { code, printed } = await runLatchkey(['person', 'x', '--json'], env)
    expect({ code, ...JSON.parse(printed) }).toMatchObject({
      code: 1,
      error: 'OperatorKeyRequired',
    })
    expect(said + printed).not.toContain(operatorKey.slice(5, 20))
  })
})
