import { build } from 'vite'
import { sources } from './sources.ts'

/** How a bundle differs from that of an app in production. */
interface Options {
  /** Modules that the framework brings in any case. */
  readonly external?: readonly RegExp[]
  /** `development` has the warnings of frameworks, and is not minified. */
  readonly mode?: 'production' | 'development'
  /** What imports resolve to, before the packages' sources. */
  readonly alias?: typeof sources
}

/**
 * The code of a page's module as a browser loads it, by file: `index.js`, and a file for each part
 * that is loaded later.
 */
export async function bundleBrowser(
  entry: string,
  { external = [], mode = 'production', alias = [] }: Options = {},
): Promise<ReadonlyMap<string, string>> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    mode,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    resolve: { alias: [...alias, ...sources] },
    // A build for servers adds no code of vite's own to preload files.
    ssr: { noExternal: true },
    build: {
      write: false,
      ssr: entry,
      minify: mode === 'production',
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
