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
