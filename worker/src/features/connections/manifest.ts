import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'connections',
  use: 'Stores, refreshes and revokes [tokens of providers](provider-tokens.md), and returns them to the app',
  providerOptions: ['connection', 'revokeOnSignOut'],
  exported: ['connections'],
  methods: {
    getAccessTokenOf: { takes: ['sub', 'provider'], isSafe: true },
    disconnect: {
      takes: ['sub', 'provider'],
      scope: 'manage',
      event: 'disconnected',
      summary: 'End a connection of a person with a provider',
    },
  },
  events: ['disconnected'],
} as const satisfies Manifest
