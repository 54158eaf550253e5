import type { NextConfig } from 'next'

/** As `create-next-app` has it, without the header that names Next. */
export default {
  cacheComponents: true,
  partialPrefetching: true,
  poweredByHeader: false,
} satisfies NextConfig
