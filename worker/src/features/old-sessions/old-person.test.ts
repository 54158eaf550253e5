import { expect, it, vi } from 'vitest'
import { withDocuments } from '../../test-support/documents.js'
import { signedInAs } from './old-person.js'

const ada = {
  id: '7',
  name: 'Ada',
  email: 'ada@example.com',
  image: 'https://example.com/ada.png',
  since: 0,
  profile: { sub: '7' },
}

it('is signed in by no way of this service, for the session alone', async () => {
  const { request } = await withDocuments({})
  const { id, since, profile, ...described } = ada
  const account = { provider: 'authjs', type: 'credentials', providerAccountId: '7', userId: '7' }
  expect(await signedInAs(request, 'authjs', ada)).toEqual({
    user: { id, ...described },
    account,
    profile,
    way: 'old:7',
    isAlone: true,
  })
})

it('a session that names no person signs no user in, and subject is not called', async () => {
  const subject = vi.fn(() => 'everybody')
  const { request } = await withDocuments({}, { subject })
  for (const id of [undefined, null, '', ' ', {}, Number.NaN, 2 ** 53]) {
    expect(await signedInAs(request, 'authjs', { ...ada, id })).toBeUndefined()
  }
  expect(subject).not.toHaveBeenCalled()
})

it.each([
  ['an empty text', '', null],
  ['a number', 7, null],
  ['256 letters', 'x'.repeat(256), 'x'.repeat(256)],
  ['257 letters', 'x'.repeat(257), null],
])('a name that is %s', async (_, name, expected) => {
  const { request } = await withDocuments({})
  const found = await signedInAs(request, 'authjs', { ...ada, name })
  expect(found?.user.name).toBe(expected)
})
