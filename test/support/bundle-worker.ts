import { build } from 'vite'
import { ofWorkerd } from './sources.ts'

/** What imports resolve to, as in the configuration of vite. */
type Alias = readonly { readonly find: RegExp; readonly replacement: string }[]

/** How a bundle differs from one that is read in a test. */
interface Options {
  /** As it is uploaded. */
  readonly minify?: boolean
  /** Modules that are left out, since the framework brings them in any case. */
  readonly external?: readonly RegExp[]
}

/** The code of a Worker for workerd, in one module, made from the packages' sources. */
export async function bundleWorker(
  entry: string,
  alias: Alias,
  { minify = false, external = [] }: Options = {},
): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: [...ofWorkerd, ...alias], conditions: ['workerd', 'worker', 'module'] },
    ssr: { target: 'webworker', noExternal: true },
    build: {
      write: false,
      ssr: entry,
      minify,
      rolldownOptions: {
        external: [/^cloudflare:/, ...external],
        output: { codeSplitting: false },
      },
    },
  })
  const [{ output }] = [made].flat() as unknown as [{ output: { type: string; code: string }[] }]
  return output[0]?.code ?? ''
}
