import type { Answer, Asking, Browser, Form, memberOf } from './answer.js'

let running = new AbortController()

/**
 * Signs in with a passkey, creates an account with one (`action: 'register'`), or adds one for the
 * signed-in user (`link`): the browser asks the person (WebAuthn Level 3), and the service judges
 * the answer.
 *
 * @param member a member of an answer, whatever the answer is: handed over, so that bundlers make no file for it
 * @param ask asks the service
 * @param service its URL, with the base path
 * @returns what the service said last, or why the browser gave no credential: `cancelled`, `already_added`
 *   (the device has a passkey of this person), or `unsupported`
 */
export async function holdCeremony(
  { PublicKeyCredential: Passkey, navigator, location }: Browser,
  member: typeof memberOf,
  ask: Asking,
  service: string,
  form: Form,
): Promise<Answer> {
  const { link, action, name, ...fields } = form
  const isNew = link === true || action === 'register'
  if (!Passkey?.parseCreationOptionsFromJSON || !Passkey.parseRequestOptionsFromJSON) {
    return { status: 200, ok: false, data: refused('unsupported') }
  }
  const begun = await ask(`${service}/csrf`)
  const csrfToken = member(begun.data, 'csrfToken')
  if (!csrfToken) return { ...begun, ok: false }
  const body = { ...fields, csrfToken }
  const asked = { ...body, name: name || undefined, for: ceremonyOf(link, isNew) }
  const options = await ask(`${service}/passkey/options`, asked)
  const publicKey = member(options.data, 'publicKey') as Options | undefined
  if (!options.ok || !publicKey) return { ...options, ok: false }
  // Browsers allow one ceremony at a time.
  running.abort()
  running = new AbortController()
  const { signal } = running
  let credential: PublicKeyCredential
  try {
    const given = isNew
      ? navigator.credentials.create({
          publicKey: Passkey.parseCreationOptionsFromJSON(publicKey),
          signal,
        })
      : navigator.credentials.get({
          publicKey: Passkey.parseRequestOptionsFromJSON(publicKey),
          signal,
        })
    credential = (await given) as PublicKeyCredential
  } catch (error) {
    const code = CODES.get(String(member(error, 'name'))) ?? 'unsupported'
    return { status: options.status, ok: false, data: refused(code), ceremony: 'stopped' }
  }
  const answer = await ask(`${service}/callback/passkey`, {
    ...body,
    credential: credential.toJSON(),
  })
  if (member(answer.data, 'code') === 'unknown_passkey') {
    // The password manager no longer offers it.
    const { rpId = location.hostname } = publicKey
    await Passkey.signalUnknownCredential?.({ rpId, credentialId: credential.id }).catch(() => {})
  }
  return { ...answer, ceremony: 'sent' }
}

type Options = PublicKeyCredentialCreationOptionsJSON & PublicKeyCredentialRequestOptionsJSON

/** Ours for the errors of a browser (WebAuthn Level 3, sections 5.1.3 and 5.1.4). */
const CODES = new Map([
  ['NotAllowedError', 'cancelled'],
  ['AbortError', 'cancelled'],
  ['InvalidStateError', 'already_added'],
])

function refused(code: string): object {
  return { error: 'CredentialsSignin', code }
}

function ceremonyOf(link: unknown, isNew: boolean): 'add' | 'sign-up' | 'sign-in' {
  if (link === true) return 'add'
  return isNew ? 'sign-up' : 'sign-in'
}
