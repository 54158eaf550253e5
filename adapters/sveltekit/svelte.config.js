import { vitePreprocess } from '@sveltejs/vite-plugin-svelte'

// Older versions of Svelte 5 cannot compile the TypeScript of a package.
export default { preprocess: vitePreprocess({ script: true }) }
