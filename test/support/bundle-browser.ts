import { build } from 'vite'
import { sources } from './sources.ts'

/**
 * The code of a page's module as a browser loads it, minified, by file: `index.js`, and a file for
 * each part that is loaded later.
 *
 * @param entry the path of the module
 * @param external modules that the framework brings in any case
 */
export async function bundleBrowser(
  entry: string,
  external: readonly RegExp[] = [],
): Promise<ReadonlyMap<string, string>> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: sources },
    // A build for servers adds no code of vite's own to preload files.
    ssr: { noExternal: true },
    build: {
      write: false,
      ssr: entry,
      minify: true,
      target: 'es2022',
      rolldownOptions: {
        external: [...external],
        output: { entryFileNames: 'index.js', chunkFileNames: '[name].js' },
      },
    },
  })
  const [{ output }] = [made].flat() as unknown as [
    { output: { fileName: string; code: string }[] },
  ]
  return new Map(output.map(({ fileName, code }) => [fileName, code]))
}
