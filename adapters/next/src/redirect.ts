// @ts-expect-error Next has no `exports`, and its bundlers give components another module by this name alone.
import { redirect as nextRedirect } from 'next/navigation'

/** Next's `redirect`, which throws what Next makes the answer of. */
export const redirect: typeof import('next/navigation.js').redirect = nextRedirect

/** 303, by which a browser asks with GET: Next's own 307 would send the form on, a password in it too. */
export function seeOther(url: string): never {
  try {
    redirect(url)
  } catch (thrown) {
    const error = thrown as { digest?: string }
    if (error.digest) error.digest = error.digest.replace(/;307;$/, ';303;')
    throw error
  }
}
