import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Runs the simulator on the packages' sources: its parts, the ledger's rules and the lists of
 * endings, are not exported.
 *
 * @param names the sizes and designs to run; none: all sizes, as the service is today
 */
export async function benchScale(names: readonly string[] = []): Promise<void> {
  const { module } = await runnerImport<typeof import('./report.js')>(path('report.ts'), {
    configFile: false,
    logLevel: 'error',
    resolve: {
      alias: [
        { find: /^@latchkey\/(session|host|worker)$/, replacement: path('../../$1/src/index.ts') },
        {
          find: /^@latchkey\/(session|host|worker)\/(.+)$/,
          replacement: path('../../$1/src/$2.ts'),
        },
      ],
    },
  })
  await module.printReport(names)
}
