import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'shared-domains',
  use: 'A list of [domains below which strangers have sites](decisions/features.md#the-worker-contains-a-compressed-public-suffix-list). Without this list, no wildcard is trusted',
  askedBy: 'wildcards among the trusted origins',
} as const satisfies Manifest
