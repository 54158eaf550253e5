/**
 * What a page that offers passkeys does in the browser (WebAuthn Level 3). "npm run generate" makes the text of it
 * that the pages have.
 *
 * A form with `data-script` holds a ceremony, whose name is the attribute's value; its action is
 * the route that takes the credential. Elements with the attribute are shown in a browser that can
 * do this, and otherwise hidden.
 */
function offerPasskeys(): void {
  const Passkey = window.PublicKeyCredential
  if (
    !Passkey?.parseCreationOptionsFromJSON ||
    !Passkey.parseRequestOptionsFromJSON ||
    !Passkey.prototype.toJSON
  ) {
    // Their place was kept until now.
    for (const one of document.querySelectorAll('[data-script][hidden]')) {
      one.removeAttribute('data-script')
    }
    return
  }
  const signIn = document.querySelector<HTMLFormElement>('form[data-script=sign-in]')
  const field = document.querySelector('input[autocomplete$=webauthn]')
  const problem = document.getElementById('problem')
  const says: Partial<Sayings> = JSON.parse(problem?.dataset.says ?? '{}')
  let running = new AbortController()
  /** When autofill began to offer passkeys. Milliseconds; 0: it does not. */
  let armed = 0
  let wait = 0
  /** A passkey is chosen, and the service judges it or has led away from here. */
  let isSent = false

  async function post(form: HTMLFormElement, path: string, more: object): Promise<Answer> {
    // An empty name counts as missing.
    const fields = [...new FormData(form)].filter(([, value]) => String(value).trim())
    const answer = await fetch(new URL(path, form.action), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(fields), ...more }),
    })
    return answer.json()
  }

  async function hold(form: HTMLFormElement, isAutofill?: boolean): Promise<void> {
    // A second sign-in ends the session of the first, and leaving the page loses its cookie.
    if (isSent) return
    // Browsers allow one ceremony at a time.
    running.abort()
    running = new AbortController()
    const { signal } = running
    const kind = form.dataset.script
    const isNew = kind !== 'sign-in'
    let isChosen = !isAutofill
    armed = 0
    if (!isAutofill) wait = 0
    try {
      const { publicKey, url } = await post(form, '../passkey/options', { for: kind })
      if (signal.aborted) return
      if (!publicKey) {
        if (isAutofill) return
        if (!url) throw url
        location.assign(url)
        return
      }
      if (isAutofill) armed = Date.now()
      const credential = (await (isNew
        ? navigator.credentials.create({
            publicKey: Passkey.parseCreationOptionsFromJSON(publicKey),
            signal,
          })
        : navigator.credentials.get({
            publicKey: Passkey.parseRequestOptionsFromJSON(publicKey),
            signal,
            ...(isAutofill && { mediation: 'conditional' }),
          }))) as PublicKeyCredential
      isChosen = true
      isSent = true
      const answer = await post(form, '', { credential: credential.toJSON() })
      if (answer.code !== 'unknown_passkey' && answer.url) {
        location.assign(answer.url)
        return
      }
      say(says.unknown)
      await Passkey.signalUnknownCredential?.({
        rpId: publicKey.rpId ?? location.hostname,
        credentialId: credential.id,
      })
    } catch (error) {
      // Another ceremony has begun.
      if (signal.aborted) return
      const { name } = Object(error)
      const isCancelled = name === 'NotAllowedError'
      if (isChosen) {
        say(
          isCancelled
            ? isNew
              ? says.noneCreated
              : says.noneUsed
            : name === 'InvalidStateError'
              ? says.isThere
              : says.failed,
          isCancelled,
        )
      } else if (!isCancelled) return
    }
    isSent = false
    // Its response has counted.
    const widget = form.querySelector('.cf-turnstile')
    if (widget) (window as HumanCheck).turnstile?.reset(widget)
    // A device that refuses at once must not ask without end.
    setTimeout(() => signal === running.signal && arm(), wait)
    wait = wait * 2 || 500
  }

  /** Lets the browser offer passkeys where a person begins to type. */
  async function arm(): Promise<void> {
    if (signIn && field && (await Passkey.isConditionalMediationAvailable?.())) hold(signIn, true)
  }

  function say(text = '', isHarmless?: boolean): void {
    if (!problem) return
    problem.hidden = false
    problem.className = isHarmless ? 'mid dim' : 'alert'
    problem.role = isHarmless ? 'status' : 'alert'
    problem.textContent = text
  }

  for (const element of document.querySelectorAll<HTMLElement>('[data-script]')) {
    element.hidden = !element.hidden
  }
  addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (!form.dataset.script) return
    event.preventDefault()
    hold(form)
  })
  arm()
  // A challenge has its time: who comes back to a page that is older gets another one.
  addEventListener('focus', () => {
    if (armed && Date.now() - armed > 600_000) arm()
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    isSent = false
    arm()
  })
  const accepted = document.querySelector<HTMLElement>('[data-accepted]')?.dataset.accepted
  for (const one of JSON.parse(accepted ?? '[]')) {
    Passkey.signalAllAcceptedCredentials?.(one).catch(() => {})
    if (one.name) Passkey.signalCurrentUserDetails?.(one).catch(() => {})
  }
}

/** What the page has it say, in the page's language. */
type Sayings = Record<'unknown' | 'noneCreated' | 'noneUsed' | 'isThere' | 'failed', string>

/** Cloudflare's script, on pages that ask whether a person is there. */
interface HumanCheck {
  readonly turnstile?: { reset(widget: Element): void }
}

interface Answer {
  readonly publicKey?: PublicKeyCredentialCreationOptionsJSON &
    PublicKeyCredentialRequestOptionsJSON
  readonly url?: string
  readonly code?: string
}

offerPasskeys()
