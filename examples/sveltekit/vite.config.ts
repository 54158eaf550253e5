import node from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'
import cloudflare from './cloudflare.ts'

/** `TARGET=node` builds a server for Node; without it a Worker is built for Cloudflare. */
const { TARGET = 'cloudflare', ORIGIN } = process.env

/** On Node the app answers the auth routes itself; on Cloudflare it forwards them, and has no code of the service. */
const inProcess = { find: /\/auth\.server\.ts$/, replacement: '/auth-in-process.server.ts' }

export default defineConfig({
  resolve: { alias: TARGET === 'node' ? [inProcess] : [] },
  plugins: [
    sveltekit({
      adapter: TARGET === 'node' ? node({ out: 'build/node' }) : cloudflare(),
      // Each target has its own folder, so that one build does not overwrite the other.
      outDir: `.svelte-kit/${TARGET}`,
      // Behind Node's plain http server only this gives the app its origin.
      ...(ORIGIN && { paths: { origin: ORIGIN } }),
    }),
  ],
})
