import { expect, it, vi } from 'vitest'
import { memoryStore } from '../../stores/memory.js'
import { Browser, configWith, fakeProvider } from '../../test-support/browser.js'

// What a sign-in may cost once its service is warm. bench/README.md says what each is worth in time.

/** The calls of the platform's cryptography while work is done, by their names. */
async function callsDuring(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const names = [
    'deriveBits',
    'importKey',
    'encrypt',
    'decrypt',
    'sign',
    'verify',
    'digest',
  ] as const
  const spies = names.map((name) => vi.spyOn(crypto.subtle, name))
  try {
    await work()
    return Object.fromEntries(names.map((name, at) => [name, spies[at]?.mock.calls.length ?? 0]))
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

it('derives no key, and seals the flow and the record alone', async () => {
  const provider = fakeProvider({ userinfo: () => ({ sub: crypto.randomUUID(), name: 'Ada' }) })
  const config = configWith({ providers: [provider], store: memoryStore() })
  const signIn = async () => {
    const browser = new Browser(config)
    await browser.signIn('fake')
    expect(await browser.session()).toMatchObject({ user: { name: 'Ada' } })
  }
  await signIn()
  expect(await callsDuring(signIn)).toEqual({
    deriveBits: 0,
    importKey: 0,
    // The flow's cookie and the session's record.
    encrypt: 2,
    decrypt: 1,
    // Two tokens for forms, the token of the session, and the person's names in it and in the log.
    sign: 5,
    // The form's token twice: the session's own was signed here.
    verify: 2,
    // The person and their way, the challenge of PKCE, and the counts of this process.
    digest: 6,
  })
})
