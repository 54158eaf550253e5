import type { Manifest } from './manifest.js'

/** The methods for the operator that every service has, as manifests have those of features. No code of the Worker evaluates it. */
export const methods = {
  endSessions: {
    takes: ['whose'],
    scope: 'manage',
    event: 'sessions-ended',
    summary: 'End all sessions of a person, or all but one',
  },
  getPerson: {
    takes: ['sub'],
    scope: 'read',
    summary: 'The block of a person, and how much is stored about them',
    result: 'PersonSummary | null',
  },
  listSessions: {
    takes: ['sub'],
    scope: 'read',
    summary: 'The sessions of a person',
    result: 'ListedSession[]',
  },
  endSession: {
    takes: ['session'],
    scope: 'manage',
    event: 'sessions-ended',
    summary: 'End one session of a person',
  },
  blockPerson: {
    takes: ['block'],
    scope: 'manage',
    event: 'person-blocked',
    summary: 'Block a person, and end their sessions',
  },
  unblockPerson: {
    takes: ['sub'],
    scope: 'manage',
    event: 'person-unblocked',
    summary: 'End the block of a person',
  },
  refreshClaims: {
    takes: ['claims'],
    scope: 'manage',
    event: 'claims-refreshed',
    summary: 'Renew the tokens of a person, or of one session',
  },
} as const satisfies Manifest['methods']
