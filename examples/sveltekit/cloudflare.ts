import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import adapter from '@sveltejs/adapter-cloudflare'
import type { Adapter } from '@sveltejs/kit'

/**
 * Kit 3.2 has taken `generateManifest` away, which the newest adapter for Cloudflare (8.0.0-next.6)
 * still asks for. This restores it from its replacement; with a newer adapter this file can be
 * deleted.
 */
export default function cloudflare(): Adapter {
  const original = adapter()
  return {
    ...original,
    adapt(builder) {
      const generateManifest = () => {
        const file = join(builder.getBuildDirectory('cloudflare-tmp'), 'server.js')
        builder.generateServerInstance(file)
        const [, manifest = ''] =
          /const manifest = (.*);\s*export const server/s.exec(readFileSync(file, 'utf8')) ?? []
        if (manifest === '') throw new Error(`There is no manifest in ${file}.`)
        return manifest
      }
      return original.adapt(Object.assign(Object.create(builder), { generateManifest }))
    },
  }
}
