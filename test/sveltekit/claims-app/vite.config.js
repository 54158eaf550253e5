import adapter from '@sveltejs/adapter-node'
import { sveltekit } from '@sveltejs/kit/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  logLevel: 'error',
  plugins: [sveltekit({ adapter: adapter({ out: '.svelte-kit/build', precompress: false }) })],
})
