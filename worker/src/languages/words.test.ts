import { expect, it, vi } from 'vitest'

const made = vi.hoisted(() => vi.fn())
vi.mock('./english.js', async (original) => {
  const { english } = await original<typeof import('./english.js')>()
  return {
    english: () => {
      made()
      return english()
    },
  }
})

it('the English texts cost no start: they are made when the first of them is asked for', async () => {
  await import('../index.js')
  expect(made).not.toHaveBeenCalled()
  const { inEnglish } = await import('./words.js')
  expect(inEnglish.texts.signIn.title).toBe('Sign in')
  expect(made).toHaveBeenCalledOnce()
  expect(inEnglish.texts).toBe(inEnglish.texts)
})
