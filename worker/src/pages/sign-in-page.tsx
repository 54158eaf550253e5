import type { JSX } from 'hono/jsx/jsx-runtime'
import { signInText } from './error-texts.js'
import { Card } from './layout.js'
import { CredentialsForm, EmailForm, OAuthForm, type PageProvider } from './provider-forms.js'
import { SignOutForm } from './sign-out-page.js'
import { type PageUser, SignedInAs } from './signed-in-as.js'
import type { Theme } from './theme.js'

export type { PageProvider } from './provider-forms.js'

/** What the sign-in page shows. Every string may be hostile; `callbackUrl` must already be a safe redirect. */
export interface SignInPageProps {
  theme: Theme
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  callbackUrl: string
  /** In the order to show them; OAuth and OpenID buttons come first. */
  providers: readonly PageProvider[]
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
  /** Given when someone is signed in already. */
  user?: PageUser | null | undefined
}

const alertId = 'problem'

/** Every way to sign in. Plain forms: it works without JavaScript. */
export function SignInPage(props: SignInPageProps): JSX.Element {
  const { theme, base, csrfToken, callbackUrl, providers, error, user } = props
  return (
    <Card theme={theme} title="Sign in">
      {error && (
        // Focus starts here, since a screen reader says nothing about an alert that is there from the start.
        <p class="alert" role="alert" id={alertId} tabindex={-1} autofocus>
          {signInText(error, props.code)}
        </p>
      )}
      {user && (
        <>
          <SignedInAs user={user}>
            <SignOutForm base={base} csrfToken={csrfToken} callbackUrl={callbackUrl} />
          </SignedInAs>
          {providers.length > 0 && <h2>Use another account</h2>}
        </>
      )}
      {providers.length > 0 ? <Providers {...props} /> : <NoProviders />}
    </Card>
  )
}

function Providers(props: SignInPageProps): JSX.Element {
  const { base, csrfToken, callbackUrl, providers } = props
  const common = { base, csrfToken, callbackUrl }
  const buttons = providers.filter(({ type }) => type === 'oauth' || type === 'oidc')
  const forms = providers.filter(({ type }) => type === 'credentials' || type === 'email')
  const onePassword = forms.filter(({ type }) => type === 'credentials').length === 1
  return (
    <>
      {buttons.length > 0 && (
        <div class="stack">
          {buttons.map((provider) => (
            <OAuthForm {...common} provider={provider} main={providers.length === 1} />
          ))}
        </div>
      )}
      {forms.map((provider, index) => (
        <>
          {(index > 0 || buttons.length > 0) && <p class="or">or</p>}
          {provider.type === 'email' ? (
            <EmailForm {...common} provider={provider} idPrefix={`form-${index}`} />
          ) : (
            <CredentialsForm
              {...common}
              provider={provider}
              idPrefix={`form-${index}`}
              describedBy={props.error === 'CredentialsSignin' ? alertId : undefined}
              submit={onePassword ? 'Sign in' : `Sign in with ${provider.name}`}
            />
          )}
        </>
      ))}
    </>
  )
}

function NoProviders(): JSX.Element {
  return (
    <div class="stack mid">
      <p>No way to sign in is configured yet.</p>
      <p class="dim">
        If you run this service, set <code>AUTH_VIDEO_ID</code> and <code>AUTH_VIDEO_SECRET</code>,
        or the id and secret of another provider.
      </p>
    </div>
  )
}
