import oidc from '@latchkey/worker/providers/oidc'

export const provider = oidc({ client: { token_endpoint_auth_method: 'client_secret_post' } })
