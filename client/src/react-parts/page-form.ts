import { createElement, type FormEvent, type ReactNode, useState } from 'react'

/** Properties of a form with one button. */
export interface PageFormProps {
  /** The service's page, which does the same without script. */
  readonly action: string
  readonly redirectTo?: string | undefined
  readonly label: ReactNode
  /** What the button does with script. @param email what its field for an address has */
  readonly act: (email?: string) => Promise<unknown>
  /** Shown if `act` rejects: the service gives no answer. */
  readonly failed?: string | undefined
  /** The field before the button. */
  readonly children?: ReactNode
}

/** A button that acts at once with script, and without it opens the service's page for the same. */
export function PageForm({
  action,
  redirectTo,
  label,
  act,
  failed,
  children,
}: PageFormProps): ReactNode {
  const [isWaiting, wait] = useState(false)
  const [isFailed, fail] = useState(false)
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isWaiting) return
    const field = event.currentTarget.querySelector<HTMLInputElement>('[type=email]')
    wait(true)
    fail(false)
    await act(field?.value).catch(() => fail(true))
    wait(false)
  }
  return createElement(
    'form',
    { action, onSubmit, 'aria-busy': isWaiting },
    redirectTo &&
      createElement('input', { type: 'hidden', name: 'callbackUrl', value: redirectTo }),
    children,
    createElement('button', { type: 'submit' }, label),
    isFailed && createElement('p', { role: 'alert' }, failed ?? 'Please try again.'),
  )
}
