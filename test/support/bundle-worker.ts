import { build } from 'vite'

/** What imports resolve to, as in the configuration of vite. */
type Alias = readonly { readonly find: RegExp; readonly replacement: string }[]

/** The code of a Worker for workerd, in one module, made from the packages' sources. */
export async function bundleWorker(entry: string, alias: Alias): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: [...alias], conditions: ['workerd', 'worker', 'module'] },
    ssr: { target: 'webworker', noExternal: true },
    build: {
      write: false,
      ssr: entry,
      rolldownOptions: { external: [/^cloudflare:/], output: { codeSplitting: false } },
    },
  })
  const [{ output }] = [made].flat() as unknown as [{ output: { type: string; code: string }[] }]
  return output[0]?.code ?? ''
}
