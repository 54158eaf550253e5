import { knownDevices } from '../../http/device-cookie.js'
import { redirect } from '../../http/outcome.js'
import { FIELDS } from '../../pages/shared-styles.js'
import { readPerson } from '../../person/documents.js'
import { isMail } from '../../person/way-document.js'
import type { Feature } from '../../service/feature.js'
import { typedNames } from '../../sign-in/typed-names.js'
import { account } from '../account/index.js'
import { email } from '../email/index.js'
import { ways } from '../ways/index.js'
import { askPage } from './ask-page.js'
import { exportedPassword, passwordOf } from './kept-password.js'
import { password as kind } from './kind.js'
import { forgetTries, forgiveRow, wrongOf } from './limits.js'
import { translations } from './load-translations.js'
import { announceChange } from './notices.js'
import { canOffer, offerPage } from './offer.js'
import { oldHashes } from './old-hashes.js'
import { sectionPage } from './own-post.js'
import { removeOwnPassword, removePassword } from './remove-password.js'
import { passwordSection } from './section.js'
import { setPassword } from './set-password.js'
import { isOn, type PasswordSettings, passwordSettings, resolvePasswords } from './settings.js'
import { texts } from './texts.js'

/** People set a password here, and sign in with it and their address, by the provider `password()` (docs/passwords.md). */
export const passwords: Feature<PasswordSettings> = {
  name: 'passwords',
  needs: [email, ways, account],
  configure: resolvePasswords,
  pages: {
    texts,
    translations,
    styles: [FIELDS],
    codes: {
      'CredentialsSignin password_invalid': 'passwordInvalid',
      'CredentialsSignin password_short': 'passwordShort',
      'CredentialsSignin password_long': 'passwordLong',
      'CredentialsSignin password_common': 'passwordCommon',
      'CredentialsSignin password_context': 'passwordContext',
      'CredentialsSignin password_breached': 'passwordBreached',
      'AccessDenied no_address': 'noAddress',
    },
    routes: {
      '/password': { GET: askPage, isThere: isOn },
      '/passkey/offer': { GET: offerPage, isThere: canOffer },
      '/password/set': { POST: setPassword, isThere: isOn },
      '/password/remove': { POST: removeOwnPassword, isThere: isOn },
    },
    returnsTo: ['/account/password', '/passkey/offer'],
    wellKnown: {
      // https://w3c.github.io/webappsec-change-password-url/
      '/.well-known/change-password': {
        GET: (request) => redirect(sectionPage(request)),
        isThere: isOn,
      },
    },
    account: {
      name: 'password',
      title: ({ texts: { names } }) => names.credentials,
      isThere: isOn,
      show: passwordSection,
    },
  },
  signIn: { kinds: { password: kind } },
  session: {
    async begun(request, { account: { type, userId } }, { document }) {
      // A person who reads the mails, or has the passkey, does not guess.
      const isOther = type === 'email' || type === 'webauthn'
      if (isOther && passwordOf(document?.person)) await forgiveRow(request, userId)
    },
  },
  person: {
    exported: async (_request, _sub, person) => exportedPassword(person),
    provesBy: (request, person) => (isOn(request) && passwordOf(person) ? ['password'] : []),
    losing(request, sub, { password, ways: left }) {
      const { email: provider } = passwordSettings(request)
      // One that is being added may never become theirs.
      const isLeft = left.some(
        (one) => one.provider === provider && isMail(one.way) && one.state !== 'adding',
      )
      if (!password || provider === undefined || isLeft) return undefined
      return {
        without: ({ password: _, ...person }) => person,
        announce: (person) => announceChange(request, 'removed', { sub, person, by: 'person' }),
      }
    },
    countedAs: wrongOf,
    async gone(request, sub) {
      const { person } = await readPerson(request, sub)
      if (!person?.password) return
      const names = person.ways.filter(({ way }) => isMail(way)).map(({ way }) => way)
      for (const name of names) await forgetTries(request, name)
    },
  },
  operator: { operations: { removePassword } },
  ports: { devices: knownDevices, typed: typedNames, oldHashes },
}
