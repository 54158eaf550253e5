import node from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import cloudflare from './cloudflare.ts'

/** `TARGET=node` builds a server for Node; without it a Worker is built for Cloudflare. */
const { TARGET = 'cloudflare', ORIGIN } = process.env

export default defineConfig({
  plugins: [
    sveltekit({
      adapter: TARGET === 'node' ? node({ out: 'build/node' }) : cloudflare(),
      // A folder for each, so that one build leaves the other as it is.
      outDir: `.svelte-kit/${TARGET}`,
      // Behind Node's plain http server nothing else says under which name the app is reached.
      ...(ORIGIN && { paths: { origin: ORIGIN } }),
    }),
  ],
})
