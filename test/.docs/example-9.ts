import oidc from '@latchkey/worker/providers/oidc'

export const provider = oidc({ issuer: 'https://id.example.com' })
