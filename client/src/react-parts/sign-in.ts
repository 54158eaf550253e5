import { createElement, type ReactNode, useEffect, useId, useState } from 'react'
import type { Browser } from '../answer.js'
import { clientOfPage, type OfPage, useBasePath } from '../react-hooks.js'
import { askBy } from '../service.js'
import { PageForm } from './page-form.js'

/** A provider, as `GET <base>/providers` lists it by its id. */
export interface ListedProvider {
  readonly id: string
  readonly name: string
  /** `oauth`, `oidc`, `email`, `webauthn` or `credentials`. */
  readonly type: string
}

/** The texts of `<SignIn>`; default: English. */
export interface SignInLabels {
  /** The button that opens the sign-in page: while the list loads, and if it cannot be had. */
  readonly signIn?: string | undefined
  readonly continueWith?: ((name: string) => ReactNode) | undefined
  readonly email?: string | undefined
  readonly failed?: string | undefined
}

/** Properties of `<SignIn>`. */
export interface SignInProps {
  /** The page after the sign-in: a path of this app, or a URL of a trusted origin. Default: this page. */
  readonly redirectTo?: string | undefined
  /** What the server knows of `GET <base>/providers`. Without it the page asks once. */
  readonly providers?: readonly ListedProvider[] | undefined
  /** The class of the outermost element, a `<div>`. */
  readonly className?: string | undefined
  readonly labels?: SignInLabels | undefined
}

/** The providers that the server has handed over, or those of one request; `undefined` until it is answered. */
function useProviders(base: string, given: SignInProps['providers']) {
  const [asked, keep] = useState<readonly ListedProvider[]>()
  const isGiven = given !== undefined
  useEffect(() => {
    if (isGiven) return
    let isGone = false
    const ask = askBy(globalThis as unknown as Browser)
    ask(`${base}/providers`).then(
      ({ ok, data }) => isGone || (ok && keep(Object.values(Object(data)))),
      // Without an answer the button that opens the sign-in page stays.
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [base, isGiven])
  return given ?? asked
}

/** A list of the providers, each with its button; without script each opens the sign-in page. */
export function SignInOfPage({
  home,
  redirectTo,
  providers,
  className,
  labels = {},
}: SignInProps & OfPage): ReactNode {
  const base = useBasePath(home)
  const listed = useProviders(base, providers)
  const mailId = useId()
  const { signIn = 'Sign in', continueWith = (name: string) => `Continue with ${name}` } = labels
  const form = (key: string, label: ReactNode, provider?: string, field?: ReactNode) =>
    createElement(
      PageForm,
      {
        key,
        action: `${base}/signin`,
        redirectTo,
        label,
        failed: labels.failed,
        act: (email) => clientOfPage(home).signIn(provider, { email, redirectTo }),
      },
      field,
    )
  const mail = createElement(
    'label',
    null,
    labels.email ?? 'Email',
    ' ',
    // Without a name: the address would be in the URL of the page that opens without script.
    createElement('input', { id: mailId, type: 'email', autoComplete: 'email', required: true }),
  )
  const forms = listed?.map(({ id, name, type }) => {
    // The fields of the app's own form are on the sign-in page.
    const provider = type === 'credentials' ? undefined : id
    return form(id, continueWith(name), provider, type === 'email' && mail)
  })
  return createElement(
    'div',
    { className, 'data-latchkey': 'sign-in' },
    forms?.length ? forms : form('', signIn),
  )
}
