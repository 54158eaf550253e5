import oidc from '@latchkey/worker/providers/oidc'

export const provider = oidc({
  id: 'acme',
  name: 'Acme',
  issuer: 'https://id.acme.example',
  scope: 'openid profile email offline_access',
  idToken: true,
})
