/** The events of every service. A feature's events are in its manifest. */
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
