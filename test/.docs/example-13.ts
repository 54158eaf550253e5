import keycloak, { type KeycloakProfile } from '@latchkey/worker/providers/keycloak'

export const provider = keycloak({
  profile: ({ sub, preferred_username, email, email_verified }: KeycloakProfile) => ({
    id: sub,
    name: preferred_username ?? null,
    email: email_verified === true ? (email ?? null) : null,
    emailVerified: email_verified,
    image: null,
  }),
})
