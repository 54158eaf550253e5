import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'previews',
  use: '[Previews](previews.md) use the redirect URIs of another service',
  variables: {
    AUTH_REDIRECT_PROXY_URL:
      'The service with registered redirect URIs, for previews and localhost (docs/previews.md). Default: this one.',
    AUTH_REDIRECT_PROXY_SECRET:
      'The secret of the proxy and its previews, if they do not share `AUTH_SECRET`. Default: `AUTH_SECRET`.',
  },
} as const satisfies Manifest
