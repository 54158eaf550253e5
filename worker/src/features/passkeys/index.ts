import type { AuthRequest } from '../../http/request.js'
import { FIELDS } from '../../pages/shared-styles.js'
import type { Feature } from '../../service/feature.js'
import { ways } from '../ways/index.js'
import { passkeyOptions } from './options-route.js'
import { texts } from './texts.js'
import { passkeysOf, passkeyWays, rpIdHere } from './way-kind.js'

/** Sign-in with passkeys, by the provider `passkey()` (docs/passkeys.md). */
export const passkeys: Feature = {
  name: 'passkeys',
  needs: [ways],
  pages: {
    texts,
    codes: { 'CredentialsSignin unknown_passkey': 'unknownPasskey' },
    styles: [FIELDS],
    account: {
      name: 'passkeys',
      title: ({ texts: { account } }) => account.passkeys,
      ways: passkeyWays,
    },
    routes: {
      '/passkey/options': {
        POST: passkeyOptions,
        isData: true,
        needsHuman: (_kind, fields) => fields.for === 'sign-up',
      },
    },
    wellKnown: {
      // Browsers ask here which other origins may use the passkeys of this one (WebAuthn Level 3, section 5.11).
      '/.well-known/webauthn': {
        GET: (request) => ({
          kind: 'json',
          body: { origins: relatedOrigins(request) },
          cacheFor: 3_600,
        }),
        isThere: (request) => relatedOrigins(request).length > 0,
        isData: true,
      },
      // Password managers find here where a person adds and removes passkeys (https://www.w3.org/TR/passkey-endpoints/).
      '/.well-known/passkey-endpoints': {
        GET: ({ issuer }) => {
          const page = `${issuer}/account/passkeys`
          return { kind: 'json', body: { enroll: page, manage: page }, cacheFor: 3_600 }
        },
        isThere: (request) =>
          rpIdHere(request) !== undefined && request.features.settings('account') !== undefined,
        isData: true,
      },
    },
  },
  person: {
    means: ({ ways }) =>
      ways.flatMap(({ way, passkey, unconfirmed }) => (passkey ? { way, unconfirmed } : [])),
    // All passkeys of a person have one handle, except those of a person merged into them.
    announced(person, ways) {
      const own = ways.find(({ passkey, from }) => passkey && from === undefined)
      const handle = person.handle ?? own?.passkey?.handle
      return handle === undefined ? person : { ...person, handle }
    },
    exported: async (request, sub, person) => ({
      passkeys: person ? await passkeysOf(request, sub, person) : [],
    }),
  },
}

/** The other origins that may use the passkeys of this one. */
function relatedOrigins({ providers }: AuthRequest): readonly string[] {
  const provider = providers.usable.get('passkey')
  return provider?.kind.relatedOrigins?.(provider) ?? []
}
