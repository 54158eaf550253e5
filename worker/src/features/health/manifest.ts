import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'health',
  use: 'For [load balancers and supervisors](deploy-node.md#the-health-route): `GET /health` says if the store answers',
  routes: ['/health'],
} as const satisfies Manifest
