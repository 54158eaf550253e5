/**
 * What a page does in the browser to have a passkey made after a sign-in with a password (WebAuthn Level 3). "npm run
 * generate" makes the text of it that the pages have.
 *
 * The sign-in form has a field `offer`, in which the browser says that it can make passkeys, once in 30 days. The page after it
 * has a form with `data-offer`: in a browser that can, a passkey is made without a question, and the page leads on.
 */
function offerPasskey(): void {
  const Passkey = window.PublicKeyCredential
  if (!Passkey?.parseCreationOptionsFromJSON || !Passkey.prototype.toJSON) return
  const KEY = 'latchkey.offer'
  const MONTH = 30 * 24 * 60 * 60_000

  addEventListener('submit', ({ target }) => {
    const field = (target as HTMLFormElement).elements.namedItem('offer')
    if (!(field instanceof HTMLInputElement)) return
    try {
      const last = Number(localStorage.getItem(KEY))
      if (Date.now() - last >= MONTH) field.value = 'passkey'
    } catch {
      // Without a memory the browser would be asked at every sign-in.
    }
  })

  async function post(form: HTMLFormElement, path: string, more: object): Promise<OfferAnswer> {
    const answer = await fetch(new URL(path, form.action), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(new FormData(form)), ...more }),
    })
    return answer.json()
  }

  async function make(form: HTMLFormElement): Promise<void> {
    // Counted here: a password that was mistyped uses up no offer.
    localStorage.setItem(KEY, String(Date.now()))
    const silent = new AbortController()
    form.addEventListener('submit', () => silent.abort())
    const can = await Passkey.getClientCapabilities?.()
    if (!can?.conditionalCreate) return
    const asked = { for: 'add', mediation: 'conditional' }
    const { publicKey } = await post(form, '../passkey/options', asked)
    if (!publicKey) return
    const credential = (await navigator.credentials.create({
      publicKey: Passkey.parseCreationOptionsFromJSON(publicKey),
      mediation: 'conditional',
      signal: silent.signal,
    } as CredentialCreationOptions)) as PublicKeyCredential | null
    if (!credential) return
    const { url } = await post(form, '', { credential: credential.toJSON() })
    if (url) location.assign(url)
  }

  const form = document.querySelector<HTMLFormElement>('[data-offer] form')
  // A browser that makes none leaves the page as it is.
  if (form) make(form).catch(() => {})
}

interface OfferAnswer {
  readonly publicKey?: PublicKeyCredentialCreationOptionsJSON
  readonly url?: string
}

offerPasskey()
