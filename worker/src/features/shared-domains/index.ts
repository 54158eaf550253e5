import { isPublicSuffix } from '@latchkey/host/shared'
import type { Feature } from '../../service/feature.js'

/**
 * Allows wildcards among the trusted origins, such as `https://*.example.com`, since it knows below which domains
 * strangers have sites (docs/decisions/features.md). The list has some kilobytes.
 */
export const sharedDomains: Feature = { name: 'shared-domains', ports: { isPublicSuffix } }
