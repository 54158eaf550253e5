import { describe, expect, it } from 'vitest'
import credentials from '../providers/credentials.js'
import { Browser, claimsIn, configWith } from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { Callbacks } from '../types.js'

describe('the user’s id in the cookie', () => {
  it('occurs once, as the sub, and is read as user.id', async () => {
    const { browser } = await signedIn()
    const { sub, session } = claimsIn(browser)
    expect(session.user).not.toHaveProperty('id')
    const shown = await browser.session()
    expect(shown?.user?.id).toBe(sub)
    expect(Object.keys(shown?.user ?? {})).toEqual(['id', 'name', 'email', 'image'])
  })

  it('is kept beside the sub when the session callback chose another', async () => {
    const session: Callbacks['session'] = ({ session }) => ({
      ...session,
      user: { ...session.user, id: 'A-1' },
    })
    const { browser } = await signedIn({ callbacks: { session } })
    expect(claimsIn(browser).session.user).toHaveProperty('id', 'A-1')
    expect((await browser.session())?.user?.id).toBe('A-1')
  })
})

/** 122 of the header, 422 of the claims that every token has, 86 of the signature, and two dots. */
it('the session cookie of a person with name, address and picture has 632 bytes', async () => {
  const ada = {
    id: '5f0a4b6e-3f51-4c35-9a53-0d3f6a1c2b7d',
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    image: 'https://example.com/ada.png',
  }
  const providers = [credentials({ credentials: { name: {} }, authorize: () => ada })]
  const browser = new Browser(configWith({ providers }), { at: 'https://example.com' })
  await browser.submit('/auth/callback/credentials', { name: 'ada' })
  const [, value = ''] = [...browser.jar].find(([name]) => name.includes('session-token')) ?? []
  expect(value).toHaveLength(632)
})
