import type { ReactNode } from 'react'
import { useSessionOfPage } from '../react-hooks.js'

/** Properties of `<SignedIn>` and `<SignedOut>`. */
export interface ShownIfProps {
  readonly children?: ReactNode
}

/**
 * What `<SignedIn>` and `<SignedOut>` show.
 *
 * @returns `children` if the session of the page has this status, and otherwise nothing, also while it loads
 */
export function useShownIf(
  home: string,
  status: 'authenticated' | 'unauthenticated',
  { children }: ShownIfProps,
): ReactNode {
  return useSessionOfPage(home).status === status ? children : null
}
