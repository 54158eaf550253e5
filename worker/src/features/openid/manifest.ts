import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'openid',
  use: '[OpenID](any-provider.md): discovery, and ID tokens, which are verified in full. The functions of OpenID providers, such as `google()` and `oidc()`, bring this feature with them',
  plainKinds: ['oidc'],
  askedBy: 'endpoints that are left to discovery',
} as const satisfies Manifest
