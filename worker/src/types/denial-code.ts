import type { FeatureDenial } from '../config/manifests.js'

/** Why an `AccessDenied` refuses, if a page says so. */
export type DenialCode = 'blocked' | FeatureDenial
