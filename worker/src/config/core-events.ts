/** The events of every service. Those of features are in their manifests. */
export const CORE_EVENTS = [
  'sign-in',
  'sign-in-refused',
  'step-up',
  'sign-out',
  'sessions-ended',
  'claims-refreshed',
  'too-many-attempts',
  'person-blocked',
  'person-unblocked',
] as const

/** The event that the audit log has of an operator's method. */
export const CORE_METHOD_EVENTS = {
  endSessions: 'sessions-ended',
  endSession: 'sessions-ended',
  blockPerson: 'person-blocked',
  unblockPerson: 'person-unblocked',
  refreshClaims: 'claims-refreshed',
} as const
