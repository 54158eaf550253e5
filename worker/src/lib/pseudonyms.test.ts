import type { UserCutoff } from '@latchkey/session/issue'
import { describe, expect, it, vi } from 'vitest'
import { createPseudonyms } from './pseudonyms.js'

const [older, newer] = [
  'older-secret-0123456789abcdef-012345',
  'newer-secret-0123456789abcdef-012345',
]

describe('names of users in tokens and feed', () => {
  it('are those of the documented formula, calculated by other means', async () => {
    const { of } = await createPseudonyms(['known-answer-secret-0123456789abcdef'])
    // hmac(sha256, hkdf(sha256, secret, '', 'latchkey/pid/hmac-sha256/v1', 32), 'user-1'), in Python.
    expect(await of('user-1')).toBe('vnRoWuVXl7Hl')
  })

  it('differ by user and by secret, of which the first one names in tokens', async () => {
    const [both, one] = [await createPseudonyms([newer, older]), await createPseudonyms([newer])]
    expect([both.count, one.count]).toEqual([2, 1])
    expect(await both.of('ada')).toBe(await one.of('ada'))
    expect(await both.of('ada')).not.toBe(await both.of('ad'))
    const listed = await both.nameless({ sub: 'ada', until: 100 })
    expect(listed).toEqual([
      { pid: await one.of('ada'), until: 100 },
      { pid: await (await createPseudonyms([older])).of('ada'), until: 100 },
    ])
  })

  it('stand in the feed with the time and the handle alone, whatever else a store says', async () => {
    const { nameless } = await createPseudonyms([newer])
    const cutoff = { sub: 'ada', until: 100, except: 'sid', expires: 900, email: 'ada@example.com' }
    const [listed] = await nameless(cutoff)
    expect(Object.keys(listed ?? {})).toEqual(['pid', 'until', 'except'])
  })

  it('are made once for each cut-off that is listed', async () => {
    const { nameless } = await createPseudonyms([newer, older])
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const cutoff: UserCutoff = { sub: 'ada', until: 100 }
    for (let count = 0; count < 5; count++) await nameless(cutoff)
    expect(sign).toHaveBeenCalledTimes(2)
    sign.mockRestore()
  })
})
