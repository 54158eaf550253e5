import { expect, it, vi } from 'vitest'

const made = vi.hoisted(() => vi.fn())
vi.mock('./english.js', async (original) => {
  const { texts } = await original<typeof import('./english.js')>()
  return {
    texts: () => {
      made()
      return texts()
    },
  }
})

it('the English texts cost no start: they are made when the first of them is asked for', async () => {
  await import('../index.js')
  const { inEnglish } = await import('../test-support/english.js')
  expect(made).not.toHaveBeenCalled()
  expect(inEnglish.texts.signIn.title).toBe('Sign in')
  expect(made).toHaveBeenCalledOnce()
  expect(inEnglish.texts).toBe(inEnglish.texts)
})
